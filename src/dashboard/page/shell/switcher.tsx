import { goTo, route } from "../data/route.ts"
import { useProjects } from "./projects.ts"

/** The projects of this user. With one, its name. */
export function Switcher({ name }: { name: string }) {
  const { projects, here } = useProjects()
  if (projects.length < 2) return <span class="project">{name}</span>
  return (
    <select
      class="project"
      aria-label="Project"
      value={here?.id ?? ""}
      onChange={(event) => goTo(route.value.view, { project: event.currentTarget.value })}
    >
      {projects.map(({ id, name: each, dir, isOpen }) => (
        <option key={id} value={id} title={dir}>
          {each}
          {isOpen ? "" : " (idle)"}
        </option>
      ))}
    </select>
  )
}

import type { ProjectsView } from "../../answers/model.ts"
import { useAnswer } from "../data/answers.ts"
import { address, isExport } from "../data/data.ts"
import { goTo, project, route } from "../data/route.ts"

/** The projects of this user. With one, its name. */
export function Switcher({ name }: { name: string }) {
  const { value } = useAnswer<ProjectsView>(isExport ? null : address("projects"))
  const projects = value?.projects ?? []
  if (projects.length < 2) return <span class="project">{name}</span>
  const here = project.value ?? projects.find((each) => each.name === name)?.id ?? ""
  return (
    <select
      class="project"
      aria-label="Project"
      value={here}
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

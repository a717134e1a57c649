import type { ProjectsView } from "../../answers/model.ts"
import { useAnswer } from "../data/answers.ts"
import { address, isExport } from "../data/data.ts"
import { project } from "../data/route.ts"

type Project = ProjectsView["projects"][number]

/** The projects of this user, each by a name that no other has, and the one that is looked at. */
export function useProjects(): { projects: Project[]; here: Project | undefined } {
  const { value } = useAnswer<ProjectsView>(isExport ? null : address("projects"))
  const projects = namedApart(value?.projects ?? [])
  // Where none is asked for, the server shows the first.
  const here = projects.find(({ id }) => id === project.value) ?? projects[0]
  return { projects, here }
}

/** Two clones lie in folders of one name: then the folder above tells them apart, or the whole path. */
function namedApart(projects: readonly Project[]): Project[] {
  const forms = [
    ({ name }: Project) => name,
    ({ dir }: Project) => dir.split(/[\\/]/).filter(Boolean).slice(-2).join("/"),
    ({ dir }: Project) => dir,
  ]
  return projects.map((each) => {
    const isAlone = (form: (of: Project) => string) =>
      projects.filter((other) => form(other) === form(each)).length === 1
    const form = forms.find(isAlone)
    return form === undefined ? each : { ...each, name: form(each) }
  })
}

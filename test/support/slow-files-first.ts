import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Small files that take long. Vitest starts large files first; one of these at the end would leave a core idle. */
const SLOW = [
  "live/two-hosts",
  "live/first-steps",
  "live/panel",
  "store/faults/faults",
  "snapshots/repositories",
  "store/processes",
  "work/task/verify",
  "hosts/mcp/mcp",
]

/** The files of a project stay together, since a worker serves one project. The last one has the smallest files. */
const PROJECTS = ["live", "isolated", "unit"]

export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ project, moduleId }: TestSpecification) => {
      const isSlow = SLOW.some((each) => moduleId.endsWith(`test/${each}.test.ts`))
      return PROJECTS.indexOf(project.name) * 2 + (isSlow ? 0 : 1)
    }
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b))
  }
}

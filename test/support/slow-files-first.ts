import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Small files that take long. Vitest starts large files first; one of these at the end would leave a core idle. */
const SLOW = [
  "live/two-hosts",
  "live/first-steps",
  "live/panel",
  "store/faults/faults",
  "sync/orders",
  "store/processes",
  "work/task/verify",
  "hosts/mcp/mcp",
  "cli/conflicts",
]

export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isSlow = ({ moduleId }: TestSpecification) =>
      SLOW.some((each) => moduleId.endsWith(`test/${each}.test.ts`))
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))]
  }
}

import { mkdir } from "node:fs/promises"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { askForCommand } from "../../../src/hosts/opencode/permission.ts"
import { tempProject } from "../../support/temp-project.ts"

interface Asked {
  permission: string
  patterns: string[]
  always: string[]
}

async function asked(command: string, { cwd, worktree }: { cwd?: string; worktree?: string } = {}) {
  const directory = await tempProject()
  const questions: Asked[] = []
  const ask = async (question: Asked) => {
    questions.push(question)
  }
  await askForCommand({ ask, directory, worktree: worktree ?? directory }, command, cwd ?? directory)
  return questions
}

it("each command of a line is asked for by itself, under the host's own name for its shell", async () => {
  expect(await asked("cd sub && CI=1 npm run build && git push --force | cat")).toMatchObject([
    {
      permission: "bash",
      patterns: ["CI=1 npm run build", "git push --force", "cat"],
      always: ["npm run build *", "git push *", "cat *"],
    },
  ])
})

it("commands that only change the shell itself are not asked for, but every line is asked for", async () => {
  expect(await asked("export CI=1; npm test")).toMatchObject([{ patterns: ["npm test"] }])
  expect(await asked("cd sub")).toMatchObject([{ permission: "bash", patterns: ["cd sub"] }])
})

it("folders outside of the project are asked for first", async () => {
  const outside = join(tmpdir(), "hivemind-outside")
  await mkdir(outside, { recursive: true })
  const questions = await asked(`cat ${outside}/a.txt ~/b.txt && cp -r inside ${outside}`)
  const folders = [join(outside, "*"), join(homedir(), "*")]
  expect(questions[0]).toMatchObject({ permission: "external_directory", patterns: folders })
  expect(questions[1]).toMatchObject({ permission: "bash" })
})

it("a folder outside of the project to run in is asked for, the project's own is not", async () => {
  expect(await asked("ls", { cwd: "/" })).toMatchObject([
    { permission: "external_directory", patterns: ["/*"] },
    { permission: "bash" },
  ])
  expect(await asked("ls", { cwd: "/", worktree: "/" })).toHaveLength(2)
  expect(await asked("cat src/a.ts ./b.ts")).toMatchObject([{ permission: "bash" }])
})

it("runs nothing if the host cannot ask for permission", async () => {
  const context = { directory: "/p", worktree: "/p" } as never
  await expect(askForCommand(context, "ls", "/p")).rejects.toMatchObject({ code: "not_allowed" })
})

import { spawnSync } from "node:child_process"
import { expect, test } from "vitest"
import { COMMAND_GROUPS } from "../../src/cli/commands.ts"
import { cli, useSandbox } from "./harness.ts"

const box = useSandbox()
const script = async (shell: string) => (await cli(box, ["completion", shell])).stdout

test("bash completes commands, commands below them, and the options of each", async () => {
  const bash = await script("bash")
  const completed = (...words: string[]) => {
    const line = ["hivemind", ...words].map((word) => `'${word}'`).join(" ")
    const call = `COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _hivemind; echo "\${COMPREPLY[@]}"`
    const { stdout, stderr } = spawnSync("bash", ["--norc"], {
      input: `${bash}\n${call}\n`,
      encoding: "utf8",
    })
    expect(stderr).toBe("")
    return stdout.trim().split(" ")
  }
  expect(completed("re")).toEqual(["remember", "recall", "restore", "report"])
  expect(completed("log", "")).toEqual(expect.arrayContaining(["trace", "refusals", "--reverse", "--json"]))
  expect(completed("log", "--limit", "3", "refusals", "--s")).toEqual(["--since", "--session"])
  expect(completed("restore", "--dry")).toEqual(["--dry-run"])
  // An argument is no command, also where one has its name.
  expect(completed("recall", "cost", "--b")).toEqual([""])
})

test.each(["bash", "zsh", "fish"])("%s knows every command of the help", async (shell) => {
  const text = await script(shell)
  const names = COMMAND_GROUPS.flatMap(({ commands }) => commands.map(({ name }) => name))
  expect(names.filter((name) => !new RegExp(`[" (']${name}[" :-]`).test(text))).toEqual([])
})

test("another shell is refused, with the ones that there are", async () => {
  const { code, stderr } = await cli(box, ["completion", "tcsh"])
  expect(code).toBe(2)
  expect(stderr).toContain("bash, zsh, fish")
})

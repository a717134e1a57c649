import { spawnSync } from "node:child_process"
import { expect, test } from "vitest"
import { COMMAND_GROUPS } from "../../src/cli/commands.ts"
import { cli, shown, useSandbox } from "./harness.ts"

const box = useSandbox()

test("bash completes commands, commands below them, and the options of each", async () => {
  const bash = await shown(box, "completion bash")
  const completed = (...words: string[]) => {
    const line = ["hivemind", ...words].map((word) => `'${word}'`).join(" ")
    const call = `COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _hivemind; echo "\${COMPREPLY[@]}"`
    const input = `${bash}\n${call}\n`
    const { stdout, stderr } = spawnSync("bash", ["--norc"], { input, encoding: "utf8" })
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

test("each shell's script has every command; an unknown shell is refused with the known ones", async () => {
  const names = COMMAND_GROUPS.flatMap(({ commands }) => commands.map(({ name }) => name))
  for (const shell of ["bash", "zsh", "fish"]) {
    const text = await shown(box, `completion ${shell}`)
    expect(names.filter((name) => !new RegExp(`[" (']${name}[" :-]`).test(text))).toEqual([])
  }
  const { code, stderr } = await cli(box, "completion tcsh")
  expect([code, stderr]).toEqual([2, expect.stringContaining("bash, zsh, fish")])
})

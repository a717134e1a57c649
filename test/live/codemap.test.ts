import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { expect, it } from "vitest"
import { tempProject } from "../support/temp-project.ts"
import { type Bed, openBed } from "./bed/bed.ts"
import { call, hive, say, update } from "./bed/steps.ts"

it("after a write the map is new, the turn has not waited for it, and the next message tells of the task's file", async () => {
  const git = await gitThatWaits()
  await using bed = await openBed({
    git: true,
    hive: true,
    env: git.env,
    files: { "src/a.ts": "export const one = 1\n", "src/b.ts": 'import "./a"\n' },
  })
  const session = await bed.newSession("map")
  bed.model.script(hive("codemap graph", { path: "src/a.ts" }), update("action", "Mend src/a.ts"), say("ok"))
  const first = await bed.prompt(session, "What breaks if I change it?")
  expect(JSON.parse(first.toolCalls[0]?.output ?? "{}")).toMatchObject({
    status: "success",
    breaks: ["1 src/b.ts"],
  })

  bed.model.script(
    call("write", {
      filePath: join(bed.project, "src/a.ts"),
      content: "export const two = 2\n// TODO: three\n",
    }),
    say("written"),
  )
  // As long as the look at the files is held up, the map cannot be new: the turn ends all the same.
  git.hold()
  expect((await bed.prompt(session, "Write it")).toolCalls[0]?.status).toBe("completed")
  await expect.poll(git.isWaiting).toBe(true)
  expect(exportsIn(bed, "src/a.ts")).toEqual(["one"])
  git.release()
  await expect.poll(() => exportsIn(bed, "src/a.ts")).toEqual(["two"])

  // What the block tells is ready a moment after the file.
  const line = String.raw`<code file=\"src/a.ts\" offers=\"two\" imported_by=\"1 files\" todos=\"1\"`
  const isTold = async () => {
    bed.model.script(say("ok"))
    return JSON.stringify((await bed.prompt(session, "And now?")).requests.at(-1)?.body).includes(line)
  }
  expect((await isTold()) || (await isTold())).toBe(true)
  bed.model.script(hive("memory recall", { query: "two" }), say("ok"))
  const recalled = await bed.prompt(session, "Where is it?")
  expect(recalled.toolCalls[0]?.output).toContain("src/a.ts:1 const two = 2")
})

/** A git that, while it is held, does not answer when it is asked for the list that a look at the code begins with. */
async function gitThatWaits() {
  const dir = await tempProject()
  const [held, waiting] = [join(dir, "held"), join(dir, "waiting")]
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim()
  const script = [
    "#!/bin/sh",
    `case "$*" in *--deduplicate*) while [ -e "${held}" ]; do : > "${waiting}"; sleep 0.02; done ;; esac`,
    `exec "${real}" "$@"`,
  ]
  writeFileSync(join(dir, "git"), `${script.join("\n")}\n`)
  chmodSync(join(dir, "git"), 0o755)
  return {
    env: { PATH: `${dir}${delimiter}${process.env["PATH"]}` },
    hold: () => writeFileSync(held, ""),
    isWaiting: () => existsSync(waiting),
    release: () => rmSync(held),
  }
}

function exportsIn(bed: Bed, path: string): string[] | undefined {
  const map = join(bed.project, ".hivemind/project/codemap.json")
  const lines = JSON.parse(readFileSync(map, "utf8")) as { path?: string; exports?: { name: string }[] }[]
  return lines.find((each) => each.path === path)?.exports?.map(({ name }) => name)
}

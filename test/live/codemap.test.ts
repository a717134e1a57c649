import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { expect, it } from "vitest"
import { tempProject } from "../support/temp-project.ts"
import { type Bed, openBed } from "./bed/bed.ts"
import { hive, say, update, write } from "./bed/steps.ts"

it("after a write the map is new, the turn has not waited for it, and the next message tells of the task's file", async () => {
  const git = await gitThatWaits()
  const files = { "src/a.ts": "export const one = 1\n", "src/b.ts": 'import "./a"\n' }
  await using bed = await openBed({ git: true, hive: true, env: git.env, files })
  const session = await bed.newSession("map")
  const graph = hive("codemap graph", { path: "src/a.ts" })
  const first = await bed.prompt(session, "What breaks?", graph, update("action", "Mend src/a.ts"))
  expect(first.replies[0]).toMatchObject({ status: "success", breaks: ["1 src/b.ts"] })

  // While the listing of the files is held up, the map cannot be new: the turn ends all the same.
  git.hold()
  const change = write(join(bed.project, "src/a.ts"), "export const two = 2\n// TODO: three\n")
  expect((await bed.prompt(session, "Write it", change)).toolCalls[0]?.status).toBe("completed")
  await expect.poll(git.isWaiting).toBe(true)
  expect(exportsIn(bed, "src/a.ts")).toEqual(["one"])
  git.release()
  await expect.poll(() => exportsIn(bed, "src/a.ts")).toEqual(["two"])

  // The block has it a moment after the file.
  const line = String.raw`<code file=\"src/a.ts\" offers=\"two\" imported_by=\"1 files\" todos=\"1\"`
  const isTold = async () => {
    const { requests } = await bed.prompt(session, "And now?", say("ok"))
    return JSON.stringify(requests.at(-1)?.body).includes(line)
  }
  expect((await isTold()) || (await isTold())).toBe(true)
  const recalled = await bed.prompt(session, "Where is it?", hive("memory recall", { query: "two" }))
  expect(recalled.toolCalls[0]?.output).toContain("src/a.ts:1 const two = 2")
})

/** A git that, while it is held, does not answer a request for the list of files. */
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

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { openBed } from "./bed/bed.ts"
import { REPOSITORY } from "./bed/scratch.ts"
import { call, calls, say } from "./bed/steps.ts"

const MAIN = join(REPOSITORY, "dist", "cli", "main.js")

it("an agent does not lift what stopped turns have brought about, however it calls the command line", async () => {
  const lift = (session: string) => ["inspect", "drift", "--session", session, "--acknowledge", "cancels"]
  await using bed = await openBed({
    hive: true,
    files: {
      "lift.mjs": `import { spawnSync } from "node:child_process"
const [flag, env] = ["--acknow" + "ledge", process.argv[3] === "bare" ? { PATH: process.env.PATH } : process.env]
const args = [${JSON.stringify(MAIN)}, "inspect", "drift", "--session", process.argv[2], flag, "cancels"]
const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8" })
console.log(status, stderr)
`,
    },
  })
  const session = await bed.newSession("s")
  const store = openFileStore(bed.project, { source: systemSource })
  await store.append({ tool: "test", session: null, agent: null }, (tx) =>
    tx.register(session.id, "most_cancels", 3),
  )
  await store.close()
  const bash = (command: string) => call("bash", { command, description: "lift" })
  bed.model.script(
    calls(
      bash(`node ${MAIN} ${lift(session.id).join(" ")}`),
      bash(`node lift.mjs ${session.id}`),
      bash(`node lift.mjs ${session.id} bare`),
      call("hivemind_shell", { command: `node lift.mjs ${session.id}` }),
      bash(`env -i PATH="$PATH" node ${MAIN} uninstall --yes`),
    ),
    call("write", { filePath: join(bed.project, "a.txt"), content: "a" }),
    say("ok"),
  )
  const { toolCalls } = await bed.prompt(session, "Go")
  const [direct, script, bare, ours, uninstall, write] = toolCalls
  expect(direct).toMatchObject({ status: "error" })
  for (const each of [script, bare, ours]) expect(each?.output).toContain("takes a person")
  expect(uninstall?.output).toContain("takes a person")
  expect(write?.error).toContain("the user stopped several turns in a row")
})

it("an agent changes its model in the host's configuration, but not how HiveMind governs", async () => {
  await using bed = await openBed({ pluginOptions: { governance: "assisted" } })
  const filePath = join(bed.project, "opencode.json")
  const before = readFileSync(filePath, "utf8")
  bed.model.script(
    call("read", { filePath }),
    call("edit", { filePath, oldString: '"governance": "assisted"', newString: '"governance": "off"' }),
    call("bash", { command: "sed -i s/assisted/off/ opencode.json", description: "x" }),
    call("edit", { filePath, oldString: '"share": "disabled"', newString: '"share": "manual"' }),
    say("ok"),
  )
  const { toolCalls } = await bed.prompt(await bed.newSession("s"), "Go")
  expect(toolCalls.map(({ status }) => status)).toEqual(["completed", "error", "error", "completed"])
  expect(toolCalls[1]?.error).toContain("is the user's to say")
  expect(readFileSync(filePath, "utf8")).toBe(before.replace('"share": "disabled"', '"share": "manual"'))
})

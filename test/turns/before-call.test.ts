import { mkdirSync, realpathSync, rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import { readCall } from "../../src/hosts/opencode/calls.ts"
import { type Config, defaultConfig } from "../../src/schemas/config.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { beforeCall } from "../../src/turns/before-call.ts"
import { lastMessages } from "../../src/turns/user-message.ts"
import { ensureSession } from "../../src/work/session/session.ts"
import { gitRepo } from "../support/git-repo.ts"
import { memoryHive } from "../support/hive.ts"
import { tempProject } from "../support/temp-project.ts"
import { callSteps } from "../support/tree.ts"

const quiet = { lastMessages: lastMessages() }

it("on an error of the gate the call is allowed and the log says so", async () => {
  const log = vi.fn()
  const where = { place: { home: "/p", dir: "/p" }, directory: "/p", userHome: "/h" }
  const broken = async () => Promise.reject(new Error("the graph cannot be read"))
  const gate = beforeCall({ hive: broken, ...where, log, ...callSteps(), ...quiet }, new Map())
  const args = { command: "rm -rf /" }
  expect(await gate(readCall({ id: "c", tool: "bash", session: "s", agent: "build", args }))).toBeUndefined()
  expect(log).toHaveBeenCalledWith(
    "error",
    expect.stringContaining("the gate failed on bash"),
    expect.any(Error),
  )
})

describe("in a repository with uncommitted work of the user", () => {
  it("refuses a call even if its snapshot cannot be removed", async () => {
    const { gate } = await atWork({}, (dir) => {
      const record = join(dir, ".git/hivemind/snapshots/records/1.json")
      rmSync(record)
      mkdirSync(record)
    })
    expect(await gate("bash", { command: "rm src/app.ts" })).toContain("src/app.ts")
  })

  it("allows everyday commands and refuses those that would destroy that work", async () => {
    const { gate } = await atWork()
    for (const command of ["rm -f src/old.ts", "sed -i s/a/b/ src/app.ts", "git commit --amend --no-edit"])
      expect(await gate("bash", { command }), command).toBeUndefined()
    for (const command of ["rm -rf src", "rm .env", "git reset --hard"])
      expect(await gate("bash", { command }), command).toContain("the user did not ask to lose it")
    expect(await gate("bash", { command: "git push -f" })).toContain("cannot bring that data back")
    expect(await gate("bash", { command: "git clean -fdx" })).toContain(".hivemind/")
  })

  it("refuses a patch that deletes it and allows edits", async () => {
    const { gate } = await atWork()
    const deletes = (file: string) => ({
      patchText: `*** Begin Patch\n*** Delete File: ${file}\n*** End Patch`,
    })
    expect(await gate("apply_patch", deletes("src/draft.ts"))).toContain("deletes src/draft.ts")
    expect(await gate("apply_patch", deletes("src/old.ts"))).toBeUndefined()
    expect(await gate("write", { filePath: "src/app.ts", content: "x" })).toBeUndefined()
  })
})

describe("what a person has said", () => {
  it("is allowed in the turn in which the user asks for it, and logged", async () => {
    const { gate, messages, log } = await atWork()
    const push = () => gate("bash", { command: "git push --force" }, "ses_a")
    expect(await push()).toBeDefined()
    messages.note("ses_a", "Looks good. Force-push it, please.")
    expect(await push()).toBeUndefined()
    expect(log).toHaveBeenCalledWith(
      "info",
      expect.stringContaining('the user asked "Force-push it, please."'),
    )
    messages.note("ses_a", "Now update the docs.")
    expect(await push()).toBeDefined()
  })

  it("holds for subagents of that session", async () => {
    const { gate, messages, hive } = await atWork()
    const below = { tool: "test", session: "ses_below", agent: null }
    await hive.store.write(below, (tx) => ensureSession(tx, below, Date.now(), null, "ses_top"))
    messages.note("ses_top", "force push it")
    expect(await gate("bash", { command: "git push -f" }, "ses_below")).toBeUndefined()
    expect(await gate("bash", { command: "git push -f" }, "ses_other")).toBeDefined()
  })

  it("allows commands that begin like one in allow_commands", async () => {
    const { gate } = await atWork({ allow_commands: ["git push --force origin gh-pages"] })
    expect(
      await gate("bash", { command: "npm run build && git push --force origin gh-pages" }),
    ).toBeUndefined()
    expect(await gate("bash", { command: "git push --force origin gh-pages-old" })).toBeDefined()
    expect(await gate("bash", { command: "rm -rf .hivemind" })).toBeDefined()
  })
})

async function atWork(options: Partial<Config> = {}, duringCheck: (dir: string) => void = () => {}) {
  const dir = realpathSync(
    gitRepo(await tempProject(), { "src/app.ts": "a", "src/old.ts": "a", ".gitignore": "lib\n.env\n" }),
  )
  const hive = {
    ...memoryHive(),
    source: systemSource,
    home: dir,
    dir,
    config: { ...defaultConfig, ...options },
  }
  const messages = lastMessages()
  const log = vi.fn()
  const atRisk = async () => {
    duringCheck(dir)
    return {
      isCovered: true,
      usersFiles: new Set(["src/app.ts", "src/draft.ts", ".env"]),
      untracked: new Set(["src/draft.ts", ".env"]),
      ignored: new Set([".env"]),
      leftOut: [],
      hasUsersStash: true,
    }
  }
  const where = { place: { home: dir, dir }, directory: dir, userHome: "/home/me" }
  const input = {
    hive: async () => hive,
    ...where,
    log,
    tree: { ...callSteps().tree, atRisk },
    lastMessages: messages,
  }
  const judge = beforeCall(input, new Map())
  let n = 0
  const gate = (tool: string, args: object, session = `ses_${n}`) =>
    judge(readCall({ id: `call ${n++}`, tool, session, agent: "build", args }))
  return { hive, gate, messages, log }
}

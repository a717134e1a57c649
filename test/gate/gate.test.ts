import { mkdirSync, realpathSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { analyzeCall } from "../../src/gate/call.ts"
import { checkCall } from "../../src/gate/gate.ts"
import { chainText, refusalMemory } from "../../src/gate/refusal-text.ts"
import { readCommand, type ShellContext } from "../../src/gate/shell/read-command.ts"
import { headIdOf } from "../../src/graph/read-head.ts"
import { readCall } from "../../src/hosts/opencode/calls.ts"
import { defaultConfig } from "../../src/schemas/config.ts"
import { toRefusal } from "../../src/shared/error.ts"
import { bash, gatedProject, isInScope, NO_LOSSES, PROJECT, write } from "../support/gated-project.ts"
import { tempProject } from "../support/temp-project.ts"

const ASKED = { id: "call_1", agent: "build", session: "ses_1" }

const reader = (context: ShellContext) => (command: string, cwd: string) =>
  readCommand(command, { ...context, cwd })

describe("the gate, in its order", () => {
  it("protects HiveMind's files from every tool under every spelling of their path, and lets notes pass", () => {
    const { codeOf } = gatedProject()
    for (const path of [
      ".hivemind/graph/parts/mems.0001.000001-abcd.json",
      `${PROJECT}/.hivemind/system/config.json`,
      "src/../.hivemind/x",
      "./.hivemind/a",
    ])
      expect(codeOf(...write(path)), path).toBe("protected")
    const inHive = { command: "echo x > graph/manifest.000001.json", workdir: `${PROJECT}/.hivemind` }
    expect(codeOf("bash", inHive)).toBe("protected")
    expect(codeOf(...write(".hivemind/artifacts/note.md"))).toBe("passed")
    expect(codeOf(...write(".hivemind/graph/x"), { governance: "assisted" })).toBe("protected")
    expect(codeOf(...write(".hivemind/graph/x"), { governance: "off" })).toBe("passed")
    const patch = (path: string) =>
      codeOf("apply_patch", { patchText: `*** Begin Patch\n*** Add File: ${path}\n+x\n` })
    for (const path of [
      "z\r/../.hivemind/system/config.json",
      "z\u2028/../.hivemind/system/config.json",
      "z\u2029/../.hivemind/system/config.json",
      "\u00a0.hivemind/system/config.json",
      ".hivemind/graph/x:/../../../ok.ts",
    ])
      expect(patch(path), JSON.stringify(path)).toBe("protected")
    expect(patch("z\r/../src/a.ts")).toBe("passed")
    for (const line of [
      "Update File: .hivemind/x",
      "Add File:.hivemind/x",
      "Update File: a\n*** Move to: .hivemind/x",
    ])
      expect(codeOf("apply_patch", { patchText: `*** ${line}\n` }), line).toBe("protected")
    for (const command of [
      "echo x > .hive*/graph/x",
      "echo x > .[h]ivemind/graph/x",
      "rm -rf .[!.]*",
      "echo x > .HIVEMIND/graph/x",
      "echo x > .h**************************************************/graph/x",
      "X=mind; echo x > .hive$X/graph/x",
      "echo x > .hive$UNKNOWN/graph/x",
      "echo x > .{hivemind,x}/graph/y",
      "cd .hivemind; (cd ..; true); echo x > graph/y",
      "git checkout HEAD~1 .hivemind",
      "git stash --all",
      "ln -s .hivemind h && echo x > h/graph/y",
      "find . -name '*.json' -exec sed -i s/strict/off/ {} +",
      "find . -type f | xargs sed -i s/a/b/",
      "sed -i s/strict/off/ .hivemind/system/config.json",
      "python3 -c \"open('.hivemind/graph/x', 'w')\"",
    ])
      expect(codeOf(...bash(command)), command).toBe("protected")
    for (const command of [
      "cat .hivemind/system/config.json",
      "echo x > .hivemind/artifacts/note.md",
      "cd .hivemind/artifacts && echo x >> note.md",
      "rm .hivemind/artifacts/note.md",
      "pushd src; popd; echo x > a.ts",
      "cd src && cd - && echo x > a.ts",
      "find . -name '*.ts' -exec sed -i s/a/b/ {} +",
      "find . -name '*.json' -not -path './.hivemind/*' -exec sed -i s/a/b/ {} +",
      "git stash -u",
    ])
      expect(codeOf(...bash(command)), command).toBe("passed")
  })

  it("protects git's own folder, but allows deleting a leftover lock", () => {
    const { codeOf } = gatedProject()
    for (const command of ["rm -rf .git", "echo x > .git/hooks/pre-push", "rm -rf .git/refs", "mv .git ../g"])
      expect(codeOf(...bash(command)), command).toBe("protected")
    expect(codeOf(...write(".git/config"))).toBe("protected")
    for (const command of ["rm -f .git/index.lock", "cat .git/config", "git config user.name x"])
      expect(codeOf(...bash(command)), command).toBe("passed")
  })

  it("judges its own shell from the project's folder, where it runs", () => {
    const judged = (tool: string) => {
      const call = readCall({ ...ASKED, tool, args: { command: "echo x > graph/y" } })
      const directory = `${PROJECT}/.hivemind`
      return analyzeCall(call, { projectDir: PROJECT, directory, read: reader({ project: PROJECT }) }).shell
    }
    expect(judged("bash")?.touchesHive).toBe(true)
    expect(judged("hivemind_shell")?.touchesHive).toBe(false)
  })

  it("follows links that are there, to write through them as little as around them", async () => {
    const dir = realpathSync(await tempProject())
    mkdirSync(join(dir, ".hivemind", "graph"), { recursive: true })
    mkdirSync(join(dir, "src"))
    symlinkSync(".hivemind", join(dir, "link"))
    symlinkSync("../.hivemind/graph/not-there-yet", join(dir, "src", "file"))
    const place = { projectDir: dir, directory: dir, read: reader({ project: dir }) }
    const writes = (tool: string, args: object) =>
      analyzeCall(readCall({ ...ASKED, tool, args }), place).writes
    expect(writes("write", { filePath: "link/graph/x" })).toEqual([".hivemind/graph/x"])
    expect(writes("write", { filePath: "src/file" })).toEqual([".hivemind/graph/not-there-yet"])
    expect(writes("bash", { command: "echo x > link/graph/x" })).toEqual([".hivemind/graph/x"])
    expect(writes("bash", { command: "cd link && sed -i s/a/b/ graph/*.json" })).toEqual([
      ".hivemind/graph/*.json",
    ])
    expect(writes("bash", { command: "echo x > src/file" })).toEqual([".hivemind/graph/not-there-yet"])
    expect(writes("bash", { command: "echo x > src/new/a.ts" })).toEqual(["src/new/a.ts"])
  })

  it("protects a hive that lies outside, in the main worktree, also behind a link", async () => {
    const root = realpathSync(await tempProject())
    const [main, linked] = [join(root, "main"), join(root, "linked")]
    mkdirSync(join(main, ".hivemind", "graph"), { recursive: true })
    mkdirSync(linked)
    symlinkSync(join(main, ".hivemind"), join(linked, "notes"))
    const { g } = gatedProject()
    const read = reader({ project: linked, hive: main, home: "/home/me" })
    const refusal = (tool: string, args: object) => {
      const asked = readCall({ ...ASKED, tool, args })
      const call = analyzeCall(asked, { projectDir: linked, directory: linked, read })
      return () => checkCall({ call, state: g.state, config: defaultConfig, isInScope, losses: NO_LOSSES })
    }
    for (const path of ["../main/.hivemind/graph/x", "notes/graph/x", ".hivemind/graph/x"])
      expect(refusal(...write(path))).toThrowError(expect.objectContaining({ code: "protected" }))
    for (const command of ["echo x > ../main/.hivemind/x", "rm -rf ../main", `mv ${main} /elsewhere/main`])
      expect(refusal(...bash(command))).toThrowError(expect.objectContaining({ code: "protected" }))
    expect(refusal(...write("src/a.ts"))).not.toThrow()
    expect(refusal(...bash("rm -rf ../linked/dist"))).not.toThrow()
  })

  it("requires a task for a write when strict, not when assisted, and never for reading", () => {
    const { codeOf, check } = gatedProject({ assigned_session_id: "ses_other" }, "nothing")
    expect(codeOf(...write("src/a.ts"))).toBe("no_task")
    expect(codeOf(...bash("sed -i s/a/b/ src/a.ts"))).toBe("no_task")
    expect(codeOf(...bash("npm test > /tmp/o; cp src/a.ts /tmp/a.ts"))).toBe("passed")
    expect(codeOf(...write("/tmp/notes.md"))).toBe("passed")
    expect(codeOf(...bash("npm test > /tmp/o; cp /tmp/o src/o"))).toBe("no_task")
    expect(codeOf(...bash("git status"))).toBe("passed")
    expect(codeOf("read", { filePath: "src/a.ts" })).toBe("passed")
    expect(check(...write("src/a.ts"), { governance: "assisted" })).toMatchObject({
      task: null,
      warnings: [],
    })
  })

  it("a delegate cannot take up something else to get around its limits", () => {
    const { g, task, phase, codeOf } = gatedProject({ allowed_tools: null })
    const other = g.task(phase, "Other")
    const delegation = g.delegation(task, "build")
    g.state.delegation.set(delegation.id, {
      ...delegation,
      child_session_id: "ses_1",
      allowed_tools: ["read"],
    })
    expect(codeOf(...write("src/a.ts"))).toBe("not_allowed")
    expect(codeOf("filesystem_write_file", { path: "src/a.ts" })).toBe("not_allowed")
    expect(codeOf("hivemind_session", { action: "update", level: "action", content: "free" })).toBe(
      "not_allowed",
    )
    expect(codeOf("hivemind_task", { action: "start", task_id: other.id })).toBe("not_allowed")
    expect(codeOf("hivemind_task", { action: "start", task_id: task.id.slice(0, 8) })).toBe("passed")
    expect(codeOf("read", { filePath: "src/a.ts" })).toBe("passed")
  })

  it("a delegate keeps its limits when its task and its delegation are over", () => {
    const { g, task, codeOf } = gatedProject({ status: "completed" }, "nothing")
    const delegation = g.delegation(task, "build")
    const given = { ...delegation, child_session_id: "ses_1", allowed_tools: ["read"] }
    for (const status of ["running", "returned", "failed"] as const) {
      g.state.delegation.set(delegation.id, { ...given, status })
      expect(codeOf(...bash("ls")), status).toBe("not_allowed")
      expect(codeOf("hivemind_shell", { command: "ls" })).toBe("not_allowed")
      expect(codeOf("read", { filePath: "src/a.ts" })).toBe("passed")
      expect(codeOf("hivemind_memory", { action: "save" })).toBe("passed")
      expect(codeOf(...bash("ls"), { session: "ses_2" })).toBe("passed")
    }
  })

  it("a role that does not plan can move to existing tasks, but cannot create any with the session's tool", () => {
    const { codeOf } = gatedProject({ allowed_tools: null })
    const update = (level: string, content: string) =>
      ["hivemind_session", { action: "update", level, content }] as const
    for (const agent of ["hive-executor", "hive-investigator"]) {
      for (const level of ["trajectory", "tactic", "action"])
        expect(codeOf(...update(level, "Something new"), { agent }), level).toBe("role")
      expect(codeOf(...update("trajectory", "Auth"), { agent })).toBe("passed")
      expect(codeOf(...update("tactic", " api"), { agent })).toBe("passed")
      expect(codeOf(...update("action", "build login"), { agent })).toBe("passed")
      expect(codeOf("hivemind_session", { action: "status" }, { agent })).toBe("passed")
    }
    for (const agent of ["hive-coordinator", "build"])
      expect(codeOf(...update("action", "Something new"), { agent })).toBe("passed")
  })

  it("only a write, not a read, gives a session without a task the project's current one", () => {
    const { g, check, phase } = gatedProject({ assigned_session_id: null }, "nothing")
    expect(check("read", { filePath: "src/a.ts" }).inherited).toBe(false)
    const planned = g.task(phase, "Planned")
    const head = g.state.trajectory.get(headIdOf("ses_1"))
    if (head !== undefined) g.state.trajectory.set(head.id, { ...head, active_task_ids: [planned.id] })
    expect(check(...write("src/a.ts"), { governance: "assisted" }).inherited).toBe(false)
  })

  it("holds locks however they are spelled, as patterns too, and lets the rest pass", () => {
    const table: [string, string[], string[]][] = [
      ["src/db", ["src/db/a.ts", `${PROJECT}/src/db/b.ts`, "./src/db", "src"], ["src/dbx.ts"]],
      ["./src/db/", ["src/db/a.ts", "src/x/../db/a.ts"], ["src/a.ts"]],
      ["src/**/*.ts", ["src/a.ts", "src/db/a.ts"], ["src/a.js", "lib/a.ts"]],
      ["{src,lib}/*.ts", ["src/a.ts", "lib/a.ts"], ["test/a.ts", "src/db/a.ts"]],
      ["**", ["a.ts"], []],
      [".", ["src/a.ts"], []],
    ]
    for (const [lock, locked, free] of table) {
      const { g, phase, codeOf } = gatedProject()
      g.task(phase, "Other", { status: "active", file_locks: [lock] })
      for (const path of locked) expect(codeOf(...write(path)), `${path} under ${lock}`).toBe("conflict")
      for (const path of free) expect(codeOf(...write(path)), `${path} beside ${lock}`).toBe("passed")
    }
    const { g, phase, codeOf } = gatedProject()
    g.task(phase, "Other", { status: "active", file_locks: ["src/db/a.ts"] })
    for (const command of [
      "sed -i s/a/b/ src/db/*.ts",
      "sed -i s/a/b/ src/**/*.ts",
      "npx prettier --write .",
    ])
      expect(codeOf(...bash(command)), command).toBe("conflict")
    for (const command of ["sed -i s/a/b/ src/*.ts", "git pull", 'echo x > "$OUT"'])
      expect(codeOf(...bash(command)), command).toBe("passed")
  })

  it("applies locks and scopes to files that an option names for writing, not to files that are read", () => {
    const { g, phase, codeOf } = gatedProject()
    g.task(phase, "Other", { status: "active", file_locks: ["src/db"] })
    const investigator = { agent: "hive-investigator" }
    for (const command of [
      "npx kysely-codegen --out-file src/db/types.ts",
      "pandoc a.md -o src/db/a.html",
      "7z x a.7z -osrc/db/seed",
    ]) {
      expect(codeOf(...bash(command)), command).toBe("conflict")
      expect(codeOf(...bash(command), investigator), command).toBe("scope")
    }
    for (const command of [
      "npx eslint src/db/a.ts",
      "node src/db/migrate.ts",
      "pandoc src/db/README.md -o /tmp/a.html",
      "kubectl get pods -o yaml",
    ]) {
      expect(codeOf(...bash(command)), command).toBe("passed")
      expect(codeOf(...bash(command), investigator), command).toBe("passed")
    }
  })
})

it("a refusal has four parts and the chain at first, is shorter the second time, and offers a way out the third time", () => {
  const { g, check } = gatedProject({ assigned_session_id: "ses_other" }, "nothing")
  const memory = refusalMemory()
  const refusal = (() => {
    try {
      check(...write("src/a.ts"))
    } catch (error) {
      return toRefusal(error)
    }
    throw new Error("not refused")
  })()
  const chain = chainText(g.state, "ses_1")
  const texts = [1, 2, 3, 4].map(() => memory.next("ses_1", refusal, chain))
  expect(texts[0]).toMatch(/^WHAT: .*\nWHY: .*\nUSE INSTEAD: .*\nEVIDENCE: .*\nCHAIN:\nAuth \[active\]/)
  expect(texts[1]).not.toContain("CHAIN")
  expect(texts[2]).toContain("Refused 3 times in a row")
  expect((texts[3]?.length ?? 0) < (texts[0]?.length ?? 0)).toBe(true)
  memory.passed("ses_1")
  expect(memory.next("ses_1", refusal, chain)).toBe(texts[0])
})

describe("the scope of a role, as it comes", () => {
  const executor = { agent: "hive-executor" } as const
  it("includes the source files of any project, and temporary files", () => {
    const { codeOf } = gatedProject()
    for (const path of [
      "index.js",
      "django/db/models/expressions.py",
      "Makefile",
      ".github/workflows/ci.yml",
    ])
      expect(codeOf(...write(path), executor), path).toBe("passed")
    for (const path of [".eslintrc.cjs", "a/b/c/d.weird", "infra/main.tf", "/tmp/patch.py"])
      expect(codeOf(...write(path), executor), path).toBe("passed")
    for (const command of [
      "sed -i s/a/b/ lib/*.js",
      "npx prettier --write .",
      "git apply x.patch",
      "find . -name '*.py' -exec sed -i s/a/b/ {} +",
    ])
      expect(codeOf(...bash(command), executor), command).toBe("passed")
  })

  it("excludes the host's configuration, and files outside of the project", () => {
    const { codeOf } = gatedProject()
    for (const path of [
      "opencode.json",
      "packages/a/opencode.jsonc",
      ".opencode/plugin/x.ts",
      "/etc/hosts",
      "/home/me/.config/opencode/opencode.json",
      "../other/a.ts",
    ])
      expect(codeOf(...write(path), executor), path).toBe("scope")
    for (const command of ["echo '{}' > opencode.json", "sed -i s/strict/off/ *.json"])
      expect(codeOf(...bash(command), executor), command).toBe("scope")
    expect(codeOf(...write("opencode.json"))).toBe("passed")
  })
})

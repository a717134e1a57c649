import { mkdirSync, realpathSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { analyzeCall } from "../../src/gate/call.ts"
import { checkCall } from "../../src/gate/gate.ts"
import { chainText, refusalMemory } from "../../src/gate/refusal-text.ts"
import { readCommand } from "../../src/gate/shell/read-command.ts"
import { headIdOf } from "../../src/graph/read-head.ts"
import { readCall } from "../../src/hosts/opencode/calls.ts"
import { defaultConfig } from "../../src/schemas/config.ts"
import { toRefusal } from "../../src/shared/error.ts"
import { bash, gatedProject, isInScope, NO_LOSSES, PROJECT, write } from "../support/gated-project.ts"
import { tempProject } from "../support/temp-project.ts"

describe("the gate, in its order", () => {
  it("protects HiveMind's files from every tool, also by roundabout paths, and lets notes pass", () => {
    const { codeOf } = gatedProject()
    for (const path of [
      ".hivemind/graph/parts/mems.0001.000001-abcd.json",
      `${PROJECT}/.hivemind/system/config.json`,
      "src/../.hivemind/x",
      "./.hivemind/a",
    ]) {
      expect(codeOf(...write(path)), path).toBe("protected")
    }
    expect(
      codeOf("apply_patch", {
        patchText: "*** Begin Patch\n*** Update File: .hivemind/graph/parts/plans.0001.000001-abcd.json\n",
      }),
    ).toBe("protected")
    expect(codeOf("apply_patch", { patchText: "*** Add File:.hivemind/system/config.json\n" })).toBe(
      "protected",
    )
    expect(codeOf(...write(".HiveMind/graph/x"))).toBe("protected")
    expect(codeOf(...bash("echo x >> .hivemind/graph/log/000001.jsonl"))).toBe("protected")
    expect(
      codeOf("bash", { command: "echo x > graph/manifest.000001.json", workdir: `${PROJECT}/.hivemind` }),
    ).toBe("protected")
    expect(codeOf(...write(".hivemind/artifacts/note.md"))).toBe("passed")
    expect(codeOf(...write(".hivemind/graph/x"), { governance: "assisted" })).toBe("protected")
    expect(codeOf(...write(".hivemind/graph/x"), { governance: "off" })).toBe("passed")
  })

  it("protects them from every way there is to name them", () => {
    const { codeOf } = gatedProject()
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
    expect(codeOf("apply_patch", { patchText: "*** Update File: a\n*** Move to: .hivemind/x\n" })).toBe(
      "protected",
    )
    for (const command of [
      "echo x > .hive*/graph/x",
      "echo x > .[h]ivemind/graph/x",
      "echo x > .[!a]*/graph/x",
      "rm -rf .[!.]*",
      "rm -rf .??*",
      "echo x > .HIVEMIND/graph/x",
      "echo x > .h**************************************************/graph/x",
      "X=mind; echo x > .hive$X/graph/x",
      "echo x > .hive$UNKNOWN/graph/x",
      "echo x > .{hivemind,x}/graph/y",
      "pushd .hivemind && echo x > graph/y",
      "cd .hivemind; (cd ..; true); echo x > graph/y",
      "git checkout HEAD~1 .hivemind",
      "git checkout HEAD~1 -- .hivemind/graph",
      "git restore --source HEAD~1 .hivemind",
      "git checkout .hivemind",
      "git stash --all",
      "ln -s .hivemind h && echo x > h/graph/y",
      "mv .hivemind old",
      "cp x .hivemind/graph/",
      "find . -name '*.json' -exec sed -i s/strict/off/ {} +",
      "find . -name '*.jsonl' -delete",
      "find . -type f | xargs sed -i s/a/b/",
      "sed -i s/strict/off/ .hivemind/system/config.json",
      "tee .hivemind/graph/x < y",
      "python3 -c \"open('.hivemind/graph/x', 'w')\"",
    ])
      expect(codeOf(...bash(command)), command).toBe("protected")
    for (const command of [
      "cat .hivemind/system/config.json",
      "ls .hivemind/*",
      "grep -r x .hivemind",
      "echo x > .hivemind/artifacts/note.md",
      "mkdir -p .hivemind/artifacts && cat > .hivemind/artifacts/plan.md",
      "cd .hivemind/artifacts && echo x >> note.md",
      "rm .hivemind/artifacts/note.md",
      "pushd src; popd; echo x > a.ts",
      "cd src && cd - && echo x > a.ts",
      "find . -name '*.ts' -exec sed -i s/a/b/ {} +",
      "find . -name '*.json' -not -path './.hivemind/*' -exec sed -i s/a/b/ {} +",
      "find src -type f -exec sed -i s/a/b/ {} +",
      "echo x > .env",
      "git checkout main",
      "git stash -u",
    ])
      expect(codeOf(...bash(command)), command).toBe("passed")
  })

  it("protects git's own folder, and lets a lock that was left behind go", () => {
    const { codeOf } = gatedProject()
    for (const command of ["rm -rf .git", "echo x > .git/hooks/pre-push", "rm -rf .git/refs", "mv .git ../g"])
      expect(codeOf(...bash(command)), command).toBe("protected")
    expect(codeOf(...write(".git/config"))).toBe("protected")
    for (const command of ["rm -f .git/index.lock", "cat .git/config", "git config user.name x"])
      expect(codeOf(...bash(command)), command).toBe("passed")
  })

  it("judges its own shell from the project's folder, where it runs", () => {
    const read = (command: string, cwd: string) => readCommand(command, { project: PROJECT, cwd })
    const judged = (tool: string) => {
      const args = { command: "echo x > graph/y" }
      const call = readCall({ id: "1", tool, args, agent: "build", session: "ses_1" })
      return analyzeCall(call, { projectDir: PROJECT, directory: `${PROJECT}/.hivemind`, read }).shell
        ?.touchesHive
    }
    expect([judged("bash"), judged("hivemind_shell")]).toEqual([true, false])
  })

  it("follows links that are there, to write through them as little as around them", async () => {
    const dir = realpathSync(await tempProject())
    mkdirSync(join(dir, ".hivemind", "graph"), { recursive: true })
    mkdirSync(join(dir, "src"))
    symlinkSync(".hivemind", join(dir, "link"))
    symlinkSync("../.hivemind/graph/not-there-yet", join(dir, "src", "file"))
    const read = (command: string, cwd: string) => readCommand(command, { project: dir, cwd })
    const writes = (tool: string, args: object) =>
      analyzeCall(readCall({ id: "1", tool, args, agent: "build", session: "ses_1" }), {
        projectDir: dir,
        directory: dir,
        read,
      }).writes
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
    const refusal = (tool: string, args: object) => {
      const read = (command: string, cwd: string) =>
        readCommand(command, { project: linked, hive: main, cwd, home: "/home/me" })
      const asked = readCall({ id: "call_1", tool, args, agent: "build", session: "ses_1" })
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

  it("refuses what cannot be undone, assisted too", () => {
    const { codeOf } = gatedProject()
    for (const governance of ["strict", "assisted"] as const) {
      expect(codeOf(...bash("sudo rm -rf /var/lib"), { governance })).toBe("destructive")
      expect(codeOf("hivemind_shell", { command: "git push -f" }, { governance })).toBe("destructive")
    }
    expect(codeOf(...bash("rm -rf node_modules"))).toBe("passed")
  })

  it("keeps each role to its tools and its paths", () => {
    const { codeOf } = gatedProject()
    expect(codeOf(...write("src/a.ts"), { agent: "hive-coordinator" })).toBe("role")
    expect(codeOf(...bash("ls"), { agent: "hive-coordinator" })).toBe("role")
    expect(codeOf("hivemind_plan", { action: "create" }, { agent: "hive-executor" })).toBe("role")
    expect(codeOf("task", { subagent_type: "general", prompt: "x" }, { agent: "hive-executor" })).toBe("role")
    expect(codeOf(...write("src/a.ts"), { agent: "hive-executor" })).toBe("passed")
    expect(codeOf(...write("infra/main.tf"), { agent: "hive-executor" })).toBe("passed")
    expect(codeOf(...write("/etc/passwd"), { agent: "hive-executor" })).toBe("scope")
    expect(codeOf(...write("src/a.ts"), { agent: "hive-investigator" })).toBe("scope")
    expect(codeOf(...bash("echo x > src/a.ts"), { agent: "hive-investigator" })).toBe("scope")
    expect(codeOf(...write(".hivemind/artifacts/found.md"), { agent: "hive-investigator" })).toBe("passed")
    expect(codeOf(...write("infra/main.tf"), { agent: "build" })).toBe("passed")
  })

  it("wants a task for a write when strict, not when assisted, and never minds reading", () => {
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

  it("takes the one task without a holder for a session that has none", () => {
    const { check, task } = gatedProject({ assigned_session_id: null }, "nothing")
    expect(check(...write("src/a.ts"))).toMatchObject({ inherited: true, task: { id: task.id } })
  })

  it("holds a write back while the task at hand waits for another", () => {
    const { g, phase, codeOf, task } = gatedProject()
    const before = g.task(phase, "Migrate", { status: "planned" })
    g.state.task.set(task.id, { ...task, depends_on: [before.id] })
    expect(codeOf(...write("src/a.ts"))).toBe("lifecycle")
  })

  it("keeps to the task's tools, but always lets it be reported on", () => {
    const { codeOf } = gatedProject({ allowed_tools: ["read", "bash"] })
    expect(codeOf(...write("src/a.ts"))).toBe("not_allowed")
    expect(codeOf("webfetch", { url: "x" })).toBe("not_allowed")
    expect(codeOf("read", { filePath: "src/a.ts" })).toBe("passed")
    expect(codeOf("hivemind_task", { action: "complete" })).toBe("passed")
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

  it("a role that does not plan goes to what is there, and makes nothing with the session's tool", () => {
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

  it("reading moves nothing: only a write in a session that stands at no task inherits one", () => {
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

  it("sees locks and scopes in what an option of any program names, and not in what is read", () => {
    const { g, phase, codeOf } = gatedProject()
    g.task(phase, "Other", { status: "active", file_locks: ["src/db"] })
    const investigator = { agent: "hive-investigator" }
    for (const command of [
      "npx kysely-codegen --out-file src/db/types.ts",
      "pandoc a.md -o src/db/a.html",
      "7z x a.7z -osrc/db/seed",
      "terraform plan -out=src/db/plan.bin",
      "git diff --output=src/db/a.patch",
    ]) {
      expect(codeOf(...bash(command)), command).toBe("conflict")
      expect(codeOf(...bash(command), investigator), command).toBe("scope")
    }
    for (const command of [
      "npx vitest run src/db/a.test.ts",
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

describe("what a refusal says", () => {
  it("four parts and the chain at first, less the second time, the way out the third", () => {
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
})

describe("the scope of a role, as it comes", () => {
  const executor = { agent: "hive-executor" } as const
  it("takes in every source file of any project, and temporary files", () => {
    const { codeOf } = gatedProject()
    for (const path of [
      "index.js",
      "lib/router/index.js",
      "django/db/models/expressions.py",
      "Makefile",
      "Cargo.toml",
      ".github/workflows/ci.yml",
      ".eslintrc.cjs",
      "cmd/main.go",
      "a/b/c/d.weird",
      "/tmp/patch.py",
    ])
      expect(codeOf(...write(path), executor), path).toBe("passed")
    for (const command of [
      "sed -i s/a/b/ lib/*.js",
      "npx prettier --write .",
      "cat > /tmp/x.py",
      'echo x > "$OUT"',
      "git apply x.patch",
      "cat > setup.cfg",
      "find . -name '*.py' -exec sed -i s/a/b/ {} +",
    ])
      expect(codeOf(...bash(command), executor), command).toBe("passed")
  })

  it("leaves out the host's configuration, and what is outside", () => {
    const { codeOf } = gatedProject()
    for (const path of [
      "opencode.json",
      "packages/a/opencode.jsonc",
      ".opencode/plugin/x.ts",
      "OpenCode.json",
      "/etc/hosts",
      "/home/me/.config/opencode/opencode.json",
      "../other/a.ts",
    ])
      expect(codeOf(...write(path), executor), path).toBe("scope")
    for (const command of [
      "echo '{}' > opencode.json",
      "sed -i s/strict/off/ *.json",
      "sed -i s/strict/off/ opencode.js*",
    ])
      expect(codeOf(...bash(command), executor), command).toBe("scope")
    expect(codeOf(...write("opencode.json"))).toBe("passed")
    expect(codeOf(...write("src/a.ts"), { agent: "hive-investigator" })).toBe("scope")
  })
})

import { chmodSync, existsSync, lstatSync, statSync, symlinkSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { carryOut } from "../../../src/work/restore/restore.ts"
import { around, fileAt, snapshotProject } from "../../snapshots/snapshot-project.ts"

describe("restoring files", () => {
  it("brings back what was deleted, overwritten and moved, and deletes nothing", async () => {
    const project = await snapshotProject()
    project.write("a.txt", "mine\n")
    project.write("new.txt", "untracked\n")
    project.write("deep/er/c.txt", "c\n")
    const record = await project.call("rm -r new.txt deep; echo theirs > a.txt; mv b.txt moved.txt")
    expect(record.counts).toEqual({ changed: 1, created: 1, deleted: 3, refs: 0 })
    const { written, failed, plan } = await project.restore(record)
    expect([written.toSorted(), failed]).toEqual([["a.txt", "b.txt", "deep/er/c.txt", "new.txt"], []])
    expect([project.read("a.txt"), project.read("new.txt"), project.read("b.txt")]).toEqual([
      "mine\n",
      "untracked\n",
      "b\n",
    ])
    expect(project.read("deep/er/c.txt")).toBe("c\n")
    expect([plan.files.created, project.read("moved.txt")]).toEqual([["moved.txt"], "b\n"])
  })

  it("brings an ignored secret back readable by its owner alone, and keeps the mode of one that is there", async () => {
    const project = await snapshotProject()
    project.write(".env", "KEY=1\n")
    project.write("dev.sqlite", "data")
    chmodSync(project.path("dev.sqlite"), 0o640)
    const record = await project.call("rm .env; printf other > dev.sqlite")
    await project.restore(record)
    expect(fileAt(project.path(".env"))).toBe("600 KEY=1\n")
    expect(fileAt(project.path("dev.sqlite"))).toBe("640 data")
    expect(statSync(project.snapshots.dir()).mode & 0o777).toBe(0o700)
  })

  it("brings back modes, links and any name", async () => {
    const project = await snapshotProject()
    const names = [
      " lead and trail ",
      `quo"te'd`,
      "new\nline",
      "tab\there\r",
      "back\\slash",
      "ünï→😀",
      "-n",
      "*",
      ":(top)x",
      "a.txt%",
    ]
    for (const name of names) project.write(name, `${name}\n`)
    for (const name of names) project.write(`x.sqlite.d/${name}`, `${name}\n`)
    project.write(".gitignore", "x.sqlite.d/\n.env\n")
    project.write("run.sh", "#!/bin/sh\n")
    project.write("bytes", Buffer.from([0, 255, 13, 10, 26, 128]))
    chmodSync(project.path("run.sh"), 0o755)
    symlinkSync("a.txt", project.path("link"))
    symlinkSync("nowhere/é", project.path("dangling"))
    symlinkSync("target\nof two lines", project.path(".env"))
    const all = [...names, ...names.map((name) => `x.sqlite.d/${name}`), "bytes", "link", "dangling", ".env"]
    const before = all.map((name) => fileAt(project.path(name)))
    const record = await project.call(
      "find . -path ./.git -prune -o '(' -type f -o -type l ')' -exec rm {} +",
    )
    const { failed } = await project.restore(record)
    expect(failed).toEqual([])
    const isPrivate = (name: string) => name.startsWith("x.sqlite.d")
    expect(all.map((name) => fileAt(project.path(name)))).toEqual(
      before.map((text, n) => (isPrivate(all[n] ?? "") ? text?.replace("644", "600") : text)),
    )
    expect(statSync(project.path("run.sh")).mode & 0o777).toBe(0o755)
  })

  it("keeps a file that has changed since, unless forced", async () => {
    const project = await snapshotProject()
    project.write("mine.txt", "mine\n")
    const record = await project.call("rm a.txt; echo theirs > mine.txt; rm b.txt")
    project.write("mine.txt", "later\n")
    project.write("b.txt", "new b\n")
    const first = await project.restore(record)
    expect(first.written).toEqual(["a.txt"])
    expect(first.plan.files.conflicts.map(({ path, why }) => [path, why])).toEqual([
      ["b.txt", "the file has changed since the call"],
      ["mine.txt", "the file has changed since the call"],
    ])
    expect(project.read("mine.txt")).toBe("later\n")
    const second = await project.restore(record, { force: true })
    expect([second.written.toSorted(), project.read("mine.txt"), project.read("b.txt")]).toEqual([
      ["b.txt", "mine.txt"],
      "mine\n",
      "b\n",
    ])
  })

  it("keeps a file that changes between the plan and its execution", async () => {
    const project = await snapshotProject()
    const record = await project.call("rm a.txt b.txt")
    const plan = await project.plan(`S${record.number}`, {})
    project.write("a.txt", "just written\n")
    const { written, failed } = await carryOut(project.snapshots, plan, record)
    expect([written, failed]).toEqual([
      ["b.txt"],
      [{ path: "a.txt", why: "the file changed during the restore" }],
    ])
    expect(project.read("a.txt")).toBe("just written\n")
  })

  it("keeps a file that is written, made or replaced after the snapshot that undoes the restore", async () => {
    const project = await snapshotProject({ "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n", "d.txt": "d\n" })
    const record = await project.call("rm a.txt; for f in b c d; do echo theirs > $f.txt; done")
    const plan = await project.plan(`S${record.number}`, {})
    const begin: typeof project.snapshots.begin = (...given) => {
      const begun = project.snapshots.begin(...given)
      project.sh("echo made > a.txt; echo mine >> b.txt; ln -s d.txt x; mv x c.txt")
      return begun
    }
    const { written, failed } = await carryOut({ ...project.snapshots, begin }, plan, record)
    expect([written, failed]).toEqual([
      ["d.txt"],
      [
        { path: "a.txt", why: "its present content is in no snapshot and would be lost" },
        { path: "b.txt", why: "the file changed during the restore" },
        { path: "c.txt", why: "the file changed during the restore" },
      ],
    ])
    expect([project.read("a.txt"), project.read("b.txt")]).toEqual(["made\n", "theirs\nmine\n"])
    expect(fileAt(project.path("c.txt"))).toBe("link d.txt")
  })

  it("never replaces content that no snapshot has, not even with force", async () => {
    const project = await snapshotProject()
    const record = await project.call("rm a.txt")
    project.write("a.txt", "")
    truncateSync(project.path("a.txt"), SPARSE_BYTES)
    const { written, failed } = await project.restore(record, { force: true })
    expect([written, failed.map(({ why }) => why)]).toEqual([
      [],
      ["its present content is in no snapshot and would be lost"],
    ])
    expect(statSync(project.path("a.txt")).size).toBe(SPARSE_BYTES)
  })

  it.each(["", "/deeper"])("writes nothing through a linked folder%s", async (below) => {
    const project = await snapshotProject()
    project.write(`docs${below}/x.txt`, "x\n")
    const record = await project.call(`rm -r docs; mkdir -p ../elsewhere${below}; ln -s ../elsewhere docs`)
    for (const force of [false, true]) {
      const { written, plan } = await project.restore(record, { force })
      expect([written, plan.files.conflicts.map(({ why }) => why)]).toEqual([[], ["docs is a link now"]])
    }
    expect(existsSync(project.path(`../elsewhere${below}/x.txt`))).toBe(false)
    expect(lstatSync(project.path("docs")).isSymbolicLink()).toBe(true)
  })

  it("does not replace a folder by a file, or a file by a folder", async () => {
    const project = await snapshotProject({ "a.txt": "a\n", "d/x": "x\n" })
    const record = await project.call("rm a.txt; mkdir a.txt; touch a.txt/in; rm -r d; echo file > d")
    const { failed } = await project.restore(record, { force: true })
    expect(failed.map(({ path, why }) => [path, why])).toEqual([
      ["a.txt", "a.txt is a folder now"],
      ["d/x", "d is a file now"],
    ])
    expect([existsSync(project.path("a.txt/in")), project.read("d")]).toEqual([true, "file\n"])
  })

  it("is a snapshot itself and can be undone, again and again", async () => {
    const project = await snapshotProject()
    const record = await project.call("echo theirs > a.txt; rm b.txt")
    const { undo } = await project.restore(record)
    expect([project.read("a.txt"), undo?.tool]).toEqual(["a\n", "restore"])
    const { undo: redo } = await project.restore(undo ?? record)
    expect([project.read("a.txt"), existsSync(project.path("b.txt"))]).toEqual(["theirs\n", true])
    await project.restore(redo ?? record)
    expect(project.read("a.txt")).toBe("a\n")
    expect([...project.snapshots.list()].map(({ number }) => number)).toEqual([4, 3, 2, 1])
  })

  it("restores only the given paths, and reports one that another call has changed as a conflict", async () => {
    const project = await snapshotProject({ "a.txt": "a\n", "d/x": "x\n", "d/y": "y\n", "dd/z": "z\n" })
    const record = await project.call("rm a.txt d/x d/y dd/z")
    const { written } = await project.restore(record, { paths: ["d/"] })
    expect(written.toSorted()).toEqual(["d/x", "d/y"])
    await project.restore(record, { paths: ["./a.txt"] })
    expect([existsSync(project.path("a.txt")), existsSync(project.path("dd/z"))]).toEqual([true, false])
    const later = await project.call("echo new > dd/z; echo other > a.txt")
    project.write("d/x", "by a person\n")
    const { plan } = await project.restore(later, { paths: ["d"] })
    expect(plan.files.conflicts.map(({ why }) => why)).toEqual([
      "another call or a person has changed the file",
    ])
    await expect(project.plan("S1", { paths: ["../x"] })).rejects.toMatchObject({ code: "invalid_argument" })
    await expect(project.plan("S99", {})).rejects.toMatchObject({ code: "not_found" })
  })

  it("undoes a call that never ended: deleted files come back, changed ones are conflicts", async () => {
    const project = await snapshotProject()
    const { begin, take } = project.snapshots
    const record = begin(
      { session: "s", turn: null, tool: "bash", command: null, task: null },
      await take(),
      false,
    )
    project.sh("rm a.txt; echo theirs > b.txt")
    const { written, plan } = await project.restore(record)
    expect([written, plan.files.conflicts.map(({ path }) => path)]).toEqual([["a.txt"], ["b.txt"]])
    expect(project.read("b.txt")).toBe("theirs\n")
  })

  it("notices a change of the same size in the second in which the last snapshot was taken", async () => {
    const project = await snapshotProject({ "a.txt": "0\n" })
    project.write(".env", "0\n")
    const second = () => Math.floor(Date.now() / 1000)
    for (let n = 1; n < 50; n++) {
      const started = second()
      for (const name of ["a.txt", ".env"]) project.write(name, "1\n")
      const before = await project.snapshots.take()
      for (const name of ["a.txt", ".env"]) project.write(name, "2\n")
      if (second() !== started) continue
      await expect.poll(second).toBeGreaterThan(started)
      const changes = await project.snapshots.changes(before, await project.snapshots.take())
      expect([...changes.keys()]).toEqual(["a.txt", ".env"])
      return
    }
    throw new Error("no snapshot was taken within one second")
  })

  it("follows a file that becomes ignored, and back, and keeps a tracked one that a rule matches, also in a build folder", async () => {
    const project = await snapshotProject({ "build/data.csv": "1\n" })
    project.write("notes.txt", "mine\n")
    project.write("build/data.csv", "mine\n")
    let before = await project.snapshots.take()
    for (const rules of ["notes.txt\nbuild/\n", "", "build/\n"]) {
      project.write(".gitignore", rules)
      const after = await project.snapshots.take()
      expect([...(await project.snapshots.changes(before, after)).keys()]).toEqual([".gitignore"])
      before = after
    }
    project.write("build/data.csv", "mine again\n")
    const record = await project.call("rm build/data.csv")
    await project.restore(record)
    expect(project.read("build/data.csv")).toBe("mine again\n")
  })

  it("keeps a project in a subfolder apart from the rest of the repository", async () => {
    const whole = await snapshotProject({ "app one/x": "x\n", "other/y": "y\n" })
    const project = around(join(whole.dir, "app one"))
    const record = await project.call("rm x ../other/y")
    expect(project.snapshots.projectPath("app one/x")).toBe("x")
    expect(project.snapshots.projectPath("other/y")).toBeUndefined()
    const { written } = await project.restore(record, { paths: ["x"] })
    expect(written).toEqual(["app one/x"])
  })
})

const SPARSE_BYTES = 60 << 20

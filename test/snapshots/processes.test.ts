import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"
import { sample } from "../support/effort.ts"
import { git } from "../support/git-repo.ts"
import { tempProject } from "../support/temp-project.ts"
import { around, shell, snapshotProject } from "./snapshot-project.ts"

const CHILD = fileURLToPath(new URL("./snapshot-process.mjs", import.meta.url))
const KILLED_AT_STEP = fileURLToPath(new URL("../support/killed-at-step.mjs", import.meta.url))

it("several processes take snapshots of one work tree at once, each with a number of its own and the right state", async () => {
  const project = await snapshotProject()
  project.write(".gitignore", ".env*\n")
  const names = ["one", "two", "background"]
  const found = await Promise.all(names.map((name) => run(project.dir, ["calls", name])))
  expect(found.map(({ errors, code }) => [errors, code])).toEqual(names.map(() => ["", 0]))
  const linesOf = (out: string) => out.trim().split("\n")
  const calls = found.map(({ out }) => linesOf(out).map((line) => JSON.parse(line)))
  const numbers = calls.flat().map(({ number }) => number)
  expect([new Set(numbers).size, numbers.length]).toEqual([12, 12])
  const records = new Map([...project.snapshots.list()].map((record) => [record.number, record]))
  const store = project.snapshots.dir()
  for (const [i, name] of names.entries()) {
    for (const { number, n } of calls[i] ?? []) {
      const { files, ignoredAndNested } = records.get(number)?.after ?? { files: "", ignoredAndNested: "" }
      expect(git(store, "show", `${files}:${name}.txt`)).toBe(`${name} ${n}`)
      expect(git(store, "show", `${ignoredAndNested}:.env.${name}`)).toBe(`${name} ${n}`)
    }
  }
})

describe("a process that is killed", () => {
  /** Makes a folder with a fake `git` that kills its caller at the nth call, before or after running the real git. */
  async function killingGit(): Promise<string> {
    const dir = await tempProject()
    const real = execFileSync("which", ["git"], { encoding: "utf8" }).trim()
    const script = [
      "#!/bin/bash",
      // Calls may run at the same time. `set -C` lets only one of them create a file, so each gets its own number.
      'set -C; n=1; until { : > "$CALLS/$n"; } 2>/dev/null; do n=$((n + 1)); done; set +C',
      'kill_at() { [ "$KILL_AT_CALL" = "$n $1" ] && kill -9 $PPID; }',
      "kill_at before && exit",
      `"${real}" "$@"; code=$?`,
      "kill_at after",
      "exit $code",
    ]
    writeFileSync(join(dir, "git"), `${script.join("\n")}\n`)
    chmodSync(join(dir, "git"), 0o755)
    return dir
  }

  async function afterLoss(): Promise<string> {
    const project = await snapshotProject({ "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" })
    project.sh("git checkout -qb topic; git commit -q --allow-empty -m topic; git checkout -q main")
    project.sh("echo stashed > b.txt; git stash -q; echo staged > b.txt; git add b.txt")
    for (let n = 0; n < 5; n++) project.write(`new-${n}.txt`, `new ${n}\n`.repeat(1000))
    project.write("a.txt", "mine\n")
    project.write(".env", "KEY=1\n")
    await project.call("rm new-*.txt .env; git stash clear; git reset -q --hard; git branch -qD topic")
    return project.dir
  }

  const EXPECTED = {
    "a.txt": ["a\n", "mine\n"],
    "b.txt": ["b\n", "staged\n"],
    "c.txt": ["c\n"],
    ".env": [undefined, "KEY=1\n"],
    ...Object.fromEntries(
      [0, 1, 2, 3, 4].map((n) => [`new-${n}.txt`, [undefined, `new ${n}\n`.repeat(1000)]]),
    ),
  }

  /** Checks that every file has its old or its restored content, and that git's own files are undamaged. */
  function check(dir: string, job: string): void {
    for (const [name, texts] of Object.entries(EXPECTED)) {
      const text = existsSync(join(dir, name)) ? readFileSync(join(dir, name), "utf8") : undefined
      expect(job === "take" ? texts.slice(0, 1) : texts).toContain(text)
    }
    expect(readdirSync(dir).filter((name) => name.includes("hivemind"))).toEqual([])
    const problems =
      "git fsck --no-dangling 2>&1; git status --porcelain >/dev/null; ls .git/*.lock 2>&- || true"
    expect(shell(dir, problems)).toBe("")
  }

  const KILLED_IN = [
    ["take", "git"],
    ["take", "disk"],
    ["restore", "disk"],
    ["restore", "git"],
  ] as const
  it.each(sample(KILLED_IN, 2))(
    "during `%s`, at any step of %s, damages nothing, and the next one works",
    async (job, steps) => {
      const base = await afterLoss()
      const fake = await killingGit()
      const attempt = async (at: number, when: "before" | "after") => {
        const calls = await tempProject()
        const dir = join(await tempProject(), "p")
        cpSync(base, dir, { recursive: true, preserveTimestamps: true })
        // HiveMind scans an object folder again if the folder has just changed. That would change the number of git calls.
        shell(dir, "find .git -type d -exec touch -d '1 hour ago' {} +")
        const PATH = `${fake}${delimiter}${process.env["PATH"]}`
        const [env, args] =
          steps === "git"
            ? [{ PATH, CALLS: calls, KILL_AT_CALL: `${at} ${when}` }, []]
            : [{ KILL_AT: String(at) }, ["--import", KILLED_AT_STEP]]
        const ended = await run(dir, [job, "S1"], env, args)
        return { dir, ...ended, count: readdirSync(calls).length || Number(ended.errors.trim()) }
      }
      const whole = await attempt(0, "before")
      expect([whole.code, whole.count > 10]).toEqual([0, true])
      const points = Array.from({ length: whole.count }, (_, n) => n + 1)
      for (const at of sample(points, 2)) {
        const { dir, signal } = await attempt(at, at % 2 === 0 ? "after" : "before")
        expect([at, signal]).toEqual([at, "SIGKILL"])
        check(dir, job)
        const project = around(dir)
        const { failed } = await project.restore({ number: 1 }, { refs: true })
        expect(failed).toEqual([])
        for (const [name, texts] of Object.entries(EXPECTED)) expect(project.read(name)).toBe(texts.at(-1))
        expect(project.sh("git log -1 --format=%s topic; git stash list; git show :b.txt")).toBe(
          `topic\nstash@{0}: WIP on main: ${project.sh("git log -1 --format='%h %s' main")}\nstaged`,
        )
      }
    },
  )
})

async function run(dir: string, args: string[], env: NodeJS.ProcessEnv = {}, nodeArgs: string[] = []) {
  const child = spawn(process.execPath, [...nodeArgs, CHILD, dir, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  const closed = once(child, "close")
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [code, signal] = await closed
  return { out, errors, code, signal }
}

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the shell has the same sign for its variables
import { execFileSync } from "node:child_process"
import { linkSync, mkdirSync, realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { judgeCommand } from "../../src/gate/shell/judge.ts"
import { gitRepo } from "../support/git-repo.ts"
import { expectPassed, expectRefused, lossAsker } from "../support/losses.ts"
import { tempProject } from "../support/temp-project.ts"

/** A repository with a changed file and a new one, both of before the session. */
async function project() {
  const dir = realpathSync(gitRepo(await tempProject(), { "src/a.ts": "a", "src/b.ts": "b" }))
  writeFileSync(join(dir, "src/a.ts"), "changed")
  writeFileSync(join(dir, "notes.md"), "new")
  const refused = lossAsker(dir)
  await refused("ls")
  return { dir, refused }
}

describe("what is not seen before passes, and what docs/shell.md excepts from that does not", () => {
  const rows: [string, string[], string[]][] = [
    ["programs without a row", ["frobnicate notes.md", "mytool --purge src"], ["frobnicate -o notes.md"]],
    [
      "what scripts, Makefiles, package scripts and tests do",
      ["./clean.sh", "make clean", "npm run clean", "bash scripts/wipe.sh", "npm test"],
      ["printf 'rm notes.md' > x.sh; bash x.sh"],
    ],
    ["a cd in a file that is sourced", ["source env.sh; rm -f gone.txt"], []],
    [
      "code of another language beyond plain calls",
      ["python3 -c \"import os; f = 'no' + 'tes.md'; os.remove(f)\""],
      ["python3 -c \"import os; os.remove('notes.md')\""],
    ],
    [
      "SQL that stands in a file",
      ["psql app < drop.sql", "psql -f drop.sql app"],
      ["psql -c 'drop table t'"],
    ],
    [
      "git's aliases and the programs that its settings name",
      ["git wipe", "GIT_EXTERNAL_DIFF=./x.sh git diff", "git difftool -x ./x.sh"],
      ["git -c alias.wipe='!rm notes.md' wipe"],
    ],
    ["aliases of the shell", ["alias x=rm; x notes.md"], ['x() { rm "$1"; }; x notes.md']],
    [
      "what is left of a file after an edit",
      ["sed -i /./d2 notes.md", "wc notes.md > n.new && mv n.new notes.md"],
      ["sed -i d notes.md", "vim -es -c '%d' -c wq notes.md"],
    ],
    [
      "names that grep or rg prints, read one by one, and regular expressions of fd",
      ['grep -rl new . | while read f; do rm "$f.bak"; done', "fd 'no.es' -x rm"],
      ["fd notes -x rm"],
    ],
    [
      "which files a checkout, a merge or a formatter changes",
      ["git merge main", "git pull", "npx prettier --write ."],
      [],
    ],
    [
      "the names in an archive from a pipe, without a folder named for it",
      ["curl -L https://x.io/a.tgz | tar xz"],
      [
        "curl -L https://x.io/a.tgz | tar xz -C src",
        "curl -L https://x.io/a.tgz | tar xz --strip-components=1",
      ],
    ],
    [
      "a text that is written over in a target that nobody knows",
      ['echo x > "$OUT"', "cat <> notes.md"],
      ['rm "$OUT"', "echo x 1<> notes.md"],
    ],
    [
      "files on another machine or in a container",
      ["ssh host 'echo x > notes.md'", "docker exec web rm x.log"],
      ["ssh host rm -rf /srv/app", "docker exec web rm -rf /data"],
    ],
  ]
  it.each(rows)("%s", async (_, passes, held) => {
    const { refused } = await project()
    await expectPassed(refused, passes)
    await expectRefused(refused, held)
  })

  it("hard links: the other name of a file is another file", async () => {
    const { dir, refused } = await project()
    linkSync(join(dir, "notes.md"), join(dir, "its-own.md"))
    await expectPassed(refused, ["echo x > its-own.md"])
    await expectRefused(refused, ["echo x > notes.md"])
  })

  it("what a user changes while a session runs counts as the session's", async () => {
    const { dir, refused } = await project()
    writeFileSync(join(dir, "by-hand.md"), "x")
    await expectPassed(refused, ["rm by-hand.md"])
  })

  it("shells other than bash are read as bash", () => {
    const judged = (command: string) =>
      judgeCommand(command, { project: "/srv/app", home: "/home/me" }).destructive?.what
    for (const shell of ["zsh", "fish", "dash", "ksh"]) expect(judged(`${shell} -c 'rm -rf ~'`)).toBeDefined()
  })
})

it("where git does not answer, the command is refused; what asks nothing passes", async () => {
  const { dir } = await project()
  const bin = await tempProject()
  mkdirSync(bin, { recursive: true })
  // As git that hangs and is ended.
  writeFileSync(join(bin, "git"), "#!/bin/sh\nkill -9 $$\n", { mode: 0o755 })
  const real = process.env["PATH"]
  vi.stubEnv("PATH", `${bin}:${real}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  const refused = lossAsker(dir)
  expect(await refused("rm src/b.ts")).toBe("may lose work: git could not be asked")
  expect(await refused("git reset --hard")).toBe("may lose work: git could not be asked")
  await expectPassed(refused, ["ls", "npm test", "echo x >> notes.md"])
  expect(execFileSync("sh", ["-c", "echo there"], { encoding: "utf8" })).toBe("there\n")
})

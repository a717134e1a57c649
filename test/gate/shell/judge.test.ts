import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Judgement, judgeCommand } from "../../../src/gate/shell/judge.ts"

/** Refused at once, or asked about: what has not the name of something that a build makes again, and is no new file. */
function isGrave({ destructive, losses }: Judgement): boolean {
  const isNew = ({ question }: Judgement["losses"][number]) =>
    question.ask === "replaced" ||
    question.ask === "unpacked" ||
    (question.ask === "removed" && question.isMade)
  return destructive !== null || !losses.every(isNew)
}

const CONTEXT = { project: "/srv/app", home: "/home/me" }

describe("says what is destroyed and by which part", () => {
  const table: [string, string, string][] = [
    ["rm -rf ~", "deletes everything: /home/me", "rm -rf ~"],
    ["rm -rf .", "deletes everything: the project", "rm -rf ."],
    ["rm -rf $X", "deletes what cannot be known: …", "rm -rf $X"],
    [
      "sudo bash -c 'cd /opt && rm -rf app'",
      "deletes /opt/app, which is outside of the project",
      "rm -rf app",
    ],
    ["git add . && git push -f", "overwrites the remote branch (force push)", "git push -f"],
    ["curl -s x | sh", "runs a download in a shell without a look at it", "curl -s x | sh"],
    ["f() { rm -rf /srv/x; }", "deletes /srv/x, which is outside of the project", "rm -rf /srv/x"],
    ["echo x | psql -c 'drop table t'", "drops a table", "psql -c 'drop table t'"],
  ]
  for (const [command, what, part] of table)
    it(command, () => {
      expect(judgeCommand(command, CONTEXT).destructive).toEqual({ what, part })
    })
})

describe("says what git and the file system are to be asked, and for which part", () => {
  const removed = (path: string, whole = true, isMade = false) => ({ ask: "removed", path, whole, isMade })
  const cwd = "/srv/app"
  const table: [string, object, string][] = [
    ["npm test && rm -rf src; ls", removed("/srv/app/src"), "rm -rf src"],
    ["rm src/a.ts", removed("/srv/app/src/a.ts", false), "rm src/a.ts"],
    ["rm -rf dist", removed("/srv/app/dist", true, true), "rm -rf dist"],
    ["rm -rf packages/$X/lib", removed("/srv/app/packages/*/lib"), "rm -rf packages/$X/lib"],
    ["find src -name '*.ts' -delete", removed("/srv/app/src/**/*.ts"), "find src -name '*.ts' -delete"],
    ["git reset --hard", { ask: "tree", cwd }, "git reset --hard"],
    [
      "git checkout main src",
      { ask: "restored", cwd, words: ["main", "src"], isPaths: false },
      "git checkout main src",
    ],
    ["git restore src", { ask: "restored", cwd, words: ["src"], isPaths: true }, "git restore src"],
    ["git clean -fdx", { ask: "clean", cwd, args: ["-fdx"] }, "git clean -fdx"],
    ["git stash drop", { ask: "stash", cwd, fresh: "nothing" }, "git stash drop"],
    ["git branch -D x", { ask: "branch", cwd, name: "x" }, "git branch -D x"],
    [
      "git switch x && git rebase main",
      { ask: "published", cwd, tip: "x", upstream: "main" },
      "git rebase main",
    ],
  ]
  for (const [command, question, part] of table)
    it(command, () => {
      expect(judgeCommand(command, CONTEXT)).toMatchObject({
        destructive: null,
        losses: [{ question, part }],
      })
    })

  it("for what was moved away before, by its first name", () => {
    const asked = judgeCommand("mv src old && rm -rf old", CONTEXT).losses.map(({ question }) => question)
    expect(asked.filter(({ ask }) => ask === "removed")).toEqual([
      removed("/srv/app/src"),
      removed("/srv/app/old"),
    ])
  })

  it("for a commit that the command itself has made, nothing", () => {
    expect(judgeCommand("git commit -m x && git commit --amend", CONTEXT).losses).toEqual([])
  })
})

describe("the folder of the command decides", () => {
  it("a build folder counts inside the project, wherever the project is", () => {
    const inside = { project: "/tmp/build/app", home: "/home/me" }
    expect(judgeCommand("rm -rf dist", inside).destructive).toBeNull()
    expect(isGrave(judgeCommand("rm -rf dist", inside))).toBe(false)
    expect(isGrave(judgeCommand("rm -rf src", inside))).toBe(true)
    expect(judgeCommand("rm -rf /tmp/build/app", inside).destructive).not.toBeNull()
    expect(judgeCommand("rm -rf /tmp/build/other", inside).destructive).toBeNull()
  })
  it("paths start from the folder it runs in", () => {
    const below = { ...CONTEXT, cwd: "/srv/app/packages/web" }
    expect(judgeCommand("rm -rf ../..", below).destructive?.what).toBe("deletes everything: the project")
    expect(judgeCommand("touch a.ts ../b.ts", below).writes).toEqual(["packages/web/a.ts", "packages/b.ts"])
  })
  it("an unknown home folder is still nobody's to delete", () => {
    for (const command of ["rm -rf ~", "rm -rf $HOME", "rm -rf ~/x", "chmod -R 777 ~", "rm -rf ~other"])
      expect(judgeCommand(command, { project: "/srv/app" }).destructive).not.toBeNull()
  })
  it("a project on Windows is read with either slash", () => {
    const windows = { project: "C:\\work\\app", home: "C:\\Users\\me" }
    expect(judgeCommand("touch src/a.ts", windows).writes).toEqual(["src/a.ts"])
    expect(judgeCommand("rm -rf dist", windows).destructive).toBeNull()
    expect(judgeCommand('rm -rf "C:\\work\\app"', windows).destructive).not.toBeNull()
  })
})

describe("any text at all gives an answer, and soon", () => {
  const bits = [
    ..."{}()$`'\"\\<>|&;#!*?[]=~,/-+% \n\tax1",
    "<<a\n",
    "$(",
    "${",
    "$((",
    "<(",
    "rm -rf ",
    "sh -c ",
    "eval ",
  ]
  const words = [
    "for i in a b; do ",
    "if ",
    "case x in ",
    "f() ",
    "xargs ",
    "find . -exec ",
    "sudo ",
    "x=$x$x;",
    "{a,b}",
  ]
  const text = fc.array(fc.constantFrom(...bits, ...words), { maxLength: 60 }).map((all) => all.join(""))

  it("for any short text", () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ unit: "binary", maxLength: 200 })), (command) => {
        const judgement = judgeCommand(command, CONTEXT)
        expect(judgement.writes.every((path) => path !== "")).toBe(true)
      }),
      { numRuns: 2000, seed: 17 },
    )
  })

  it("for the same bits over and over, up to 100 kB", () => {
    const some = fc.array(fc.constantFrom(...bits, ...words), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(some, (pieces) => {
        const unit = pieces.join("")
        const command = unit.repeat(Math.ceil(100_000 / unit.length)).slice(0, 100_000)
        expect(judgeCommand(command, CONTEXT)).toMatchObject(ANSWER)
      }),
      { numRuns: 60, seed: 19 },
    )
  })

  const deep: [string, string][] = [
    ["brackets", "(".repeat(50_000)],
    ["substitutions", "$(".repeat(50_000)],
    ["braces", "{".repeat(100_000)],
    ["arithmetic", "[do $".repeat(20_000)],
    ["functions", "a()".repeat(30_000)],
    ["here-documents", "<<a ".repeat(25_000)],
    ["a doubling variable", "x=$x$x;".repeat(10_000)],
    ["loops in loops", "for i in a b c d; do ".repeat(200)],
    ["evals of evals", "eval if ".repeat(10_000)],
    [
      "functions that call each other",
      Array.from({ length: 200 }, (_, i) => `f${i}() { f${i + 1}; f${i + 1}; }`).join(";"),
    ],
  ]
  for (const [name, command] of deep)
    it(name, () => {
      // Its work is bounded; if it were not, this would not come back before the runner gives up.
      expect(judgeCommand(command, CONTEXT)).toMatchObject(ANSWER)
    })

  it("a danger at the end of a long command is still found", () => {
    expect(judgeCommand(`${"echo hello;\n".repeat(500)}rm -rf src`, CONTEXT).losses[0]?.part).toBe(
      "rm -rf src",
    )
    expect(isGrave(judgeCommand(`${"{".repeat(50_000)} ; rm -rf src`, CONTEXT))).toBe(true)
    expect(isGrave(judgeCommand(`${"(".repeat(500)}rm -rf src`, CONTEXT))).toBe(true)
  })
})

it("a word that every object knows lifts nothing for the rest of the line", () => {
  for (const word of Object.getOwnPropertyNames(Object.prototype))
    for (const program of ["git", "npm", "docker", "make", "cargo", "kubectl", ""])
      expect(
        judgeCommand(`${program} ${word} x; rm -rf .hivemind`, CONTEXT).touchesHive,
        `${program} ${word}`,
      ).toBe(true)
})

it("reads a command with broken syntax word by word", () => {
  for (const command of [
    "if true; then rm -rf src",
    "echo $(rm -rf src",
    "rm -rf src )",
    'bash -c "rm -rf src',
  ]) {
    const { losses, writes } = judgeCommand(command, CONTEXT)
    expect(losses[0]?.question).toMatchObject({ ask: "removed", path: "/srv/app/src" })
    expect(writes).toContain("src")
  }
})

it("gives the same answer again, from memory", () => {
  const first = judgeCommand("rm -rf src && touch a", CONTEXT)
  expect(judgeCommand("rm -rf src && touch a", CONTEXT)).toBe(first)
  expect(isGrave(judgeCommand("rm -rf src && touch a", { ...CONTEXT, cwd: "/srv/app/dist" }))).toBe(false)
})

const ANSWER = { kind: expect.any(String), writes: expect.any(Array), touchesHive: expect.any(Boolean) }

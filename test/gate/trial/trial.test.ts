import { realpathSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { shellRefusal } from "../../support/shell-refusal.ts"
import { tempProject } from "../../support/temp-project.ts"
import { isOrdinary, isOutOfReach, trialLines, USERS_FILES } from "./lists.ts"
import { oldWork } from "./old-work.ts"

const { changed, untracked, ignored } = USERS_FILES

async function gateIn() {
  const dir = realpathSync(await tempProject())
  const projectDir = oldWork(dir, "dirty")
  const dirty = {
    isCovered: true,
    usersFiles: new Set([...changed, ...untracked]),
    untracked: new Set(untracked),
    ignored: new Set(ignored),
    leftOut: [],
    hasUsersStash: true,
  }
  const clean = { ...dirty, usersFiles: new Set<string>(), hasUsersStash: false }
  return (command: string, isDirty: boolean) =>
    shellRefusal(command, {
      projectDir,
      home: join(dir, "home"),
      branch: "main",
      userWork: isDirty ? dirty : clean,
    })
}

it("refuses no ordinary command except those that should be refused", async () => {
  const refusal = await gateIn()
  const lines = trialLines().filter(isOrdinary)
  expect(lines.length).toBeGreaterThan(890)
  const refused = lines.filter(({ command, list }) => refusal(command, list !== "over-commits"))
  expect(refused.map(({ command }) => command)).toEqual([
    // It deletes the user's .env.
    "git clean -fX",
  ])
})

it("refuses commands that no snapshot can undo", async () => {
  const refusal = await gateIn()
  const lines = trialLines().filter(isOutOfReach)
  const passed = lines
    .filter(({ command }) => refusal(command, true) === undefined)
    .map(({ command }) => command)
  expect(passed.toSorted()).toEqual(
    [
      // The project's own history and files: a snapshot has them.
      "git filter-repo --path src",
      "xargs -a files.txt rm -f",
      'while read -r f; do rm -f "$f"; done < files.txt',
      "comm -23 a b | xargs rm",
      'rm -f "$1"',
      // Mounted from a folder that builds make.
      "docker run --rm -v \"$PWD/out:/out\" img sh -c 'rm -rf /out/*'",
      // Not there on this machine.
      "sudo rm /etc/nginx/sites-enabled/default",
      'rm -rf "$(pnpm store path)"',
      // The text is in a file by then.
      "echo 'DROP TABLE users' > a.sql; psql -f a.sql",
    ].toSorted(),
  )
})

it("protects HiveMind's files from nearly every command of the trial, and lets reading pass", async () => {
  const refusal = await gateIn()
  const lines = trialLines().filter(({ list }) => list === "hive-files")
  const share = (of: RegExp) => {
    const some = lines.filter(({ heading }) => of.test(heading))
    return some.filter(({ command }) => refusal(command, false) !== undefined).length / some.length
  }
  // The rest sets an environment variable, or hides the path in a program's own language.
  expect(share(/^# protected/)).toBeGreaterThan(0.8)
  expect(share(/^# passes/)).toBeLessThan(0.02)
})

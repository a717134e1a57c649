import { expect } from "vitest"
import { isFolder } from "../../src/gate/loss/on-disk.ts"
import { ownWork } from "../../src/gate/loss/own-work.ts"
import { whatIsLost } from "../../src/gate/loss/what-is-lost.ts"
import { judgeCommand } from "../../src/gate/shell/judge.ts"

/** What a command would lose, in a session that begins with the first one asked about. */
type Refused = (command: string) => Promise<string | undefined>

export function lossAsker(dir: string, home = "/home/me"): Refused {
  const work = ownWork(dir)
  return async (command) => {
    work.begin("ses_1")
    // Waits for what was there when the session began, however long git takes.
    await work.isOwn("ses_1", "x")
    const { destructive, losses } = judgeCommand(command, { project: dir, home, isFolder })
    if (destructive !== null) return destructive.what
    const isOwn = (path: string) => work.isOwn("ses_1", path)
    const isYoung = (path: string) => work.isYoung("ses_1", path)
    const isTaken = (path: string) => work.isTaken("ses_1", path)
    const began = work.began("ses_1")
    return (await whatIsLost(losses, { project: dir, home, isOwn, isTaken, isYoung, began }))?.what
  }
}

export async function expectPassed(refused: Refused, commands: string[]): Promise<void> {
  const answers: [string, string | undefined][] = []
  for (const command of commands) answers.push([command, await refused(command)])
  expect(answers).toEqual(commands.map((command) => [command, undefined]))
}

export async function expectRefused(refused: Refused, commands: string[]): Promise<void> {
  const passed: string[] = []
  for (const command of commands) if ((await refused(command)) === undefined) passed.push(command)
  expect(passed).toEqual([])
}

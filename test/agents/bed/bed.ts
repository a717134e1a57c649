import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { text as textOf } from "node:stream/consumers"
import type { GraphState } from "../../../src/graph/state.ts"
import { releaseOnExit } from "../../live/bed/exit-guard.ts"
import type { ModelRequest } from "../../live/bed/model-request.ts"
import { endTree, killTree } from "../../live/bed/process-tree.ts"
import { REPOSITORY } from "../../live/bed/scratch.ts"
import { type ScriptedModel, startScriptedModel } from "../../live/bed/scripted-model.ts"
import { openScreen, type Terminal } from "../../live/bed/terminal.ts"
import { GIT_ENV, gitRepo, writeFiles } from "../../support/git-repo.ts"
import { stateIn } from "../../support/state-in.ts"
import { type AgentName, programPath } from "./programs.ts"
import { type AgentSteps, TABLES } from "./table.ts"

export interface AgentBedOptions {
  files?: Record<string, string>
  home?: Record<string, string>
  env?: Record<string, string>
  path?: string
  project?: string
}

export interface AgentBed extends AsyncDisposable {
  agent: AgentName
  project: string
  home: string
  homeFiles: Record<string, string>
  /** The environment of the agent, and of a person at a terminal beside it. */
  env: Record<string, string>
  model: ScriptedModel
  state: () => GraphState
  does: AgentSteps
  /** Runs the agent without a screen until its turn ends; `resume` goes on with its newest session. */
  prompt: (text: string, options?: { resume?: boolean; args?: string[] }) => Promise<AgentTurn>
  /** The same, but does not wait: for turns that are looked at or killed. */
  start: (text: string, options?: { resume?: boolean; args?: string[] }) => RunningTurn
  onScreen: () => Terminal
  hivemind: (...args: string[]) => Promise<Printed>
  run: (...args: string[]) => Promise<Printed>
}

interface Printed {
  code: number | null
  stdout: string
  stderr: string
}

interface AgentTurn extends Printed {
  /** What the model was asked meanwhile, side questions of the program left out. */
  requests: ModelRequest[]
}

interface RunningTurn {
  child: ChildProcess
  done: Promise<AgentTurn>
}

export async function openAgentBed(agent: AgentName, options: AgentBedOptions = {}): Promise<AgentBed> {
  // Agents report real paths, and a temp folder is often a link.
  const root = realpathSync(mkdtempSync(join(tmpdir(), `hivemind-${agent}-`)))
  const home = join(root, "home")
  const project = options.project ?? join(root, "project")
  const running = new Set<ChildProcess>()
  const forget = releaseOnExit(() => {
    for (const child of running) killTree(child)
    rmSync(root, { recursive: true, force: true, maxRetries: 10 })
  })
  const model = await startScriptedModel()
  const modelUrl = model.url.replace(/\/v1$/, "")
  const table = TABLES[agent]
  for (const folder of [home, join(root, "tmp"), join(root, "screen")]) mkdirSync(folder)
  const homeFiles = { ...table.home({ project, modelUrl }), ...options.home }
  writeFiles(home, homeFiles)
  if (options.project === undefined) gitRepo(project, options.files)
  // Built from nothing: a key or a setting of the developer's would change the agent.
  const env: Record<string, string> = {
    // The agent is found as a user's is: `hivemind init --agent` calls it by name.
    PATH: [
      ...(options.path === undefined ? [] : [options.path]),
      dirname(programPath(agent)),
      process.env["PATH"],
    ].join(delimiter),
    ...{ HOME: home, TMPDIR: join(root, "tmp"), NO_COLOR: "1" },
    ...{ ...GIT_ENV, ...table.env({ home, modelUrl }), ...options.env },
  }

  // A group of its own, so that Ctrl-C in the terminal reaches it through the bed only.
  const begin = (command: string, args: string[]) => {
    const child = spawn(command, args, {
      cwd: project,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    })
    running.add(child)
    const done = Promise.all([textOf(child.stdout), textOf(child.stderr), once(child, "close")])
    return {
      child,
      done: done.then(([stdout, stderr]): Printed => {
        running.delete(child)
        return { code: child.exitCode, stdout, stderr }
      }),
    }
  }
  const start: AgentBed["start"] = (text, { resume = false, args = [] } = {}) => {
    const asked = model.requests.length
    const { child, done } = begin(programPath(agent), [...args, ...table.args(text, resume)])
    const requests = () => model.requests.slice(asked).filter(({ kind }) => kind !== "title")
    return { child, done: done.then((printed) => ({ ...printed, requests: requests() })) }
  }
  return {
    ...{ agent, project, home, homeFiles, env, model, start },
    state: () => stateIn(project),
    does: table.does(project),
    prompt: (text, given) => start(text, given).done,
    onScreen: () =>
      openScreen({
        root: join(root, "screen"),
        cwd: project,
        env,
        command: [programPath(agent), ...table.screen],
      }),
    hivemind: (...args) =>
      begin(process.execPath, [join(REPOSITORY, "dist", "cli", "main.js"), ...args]).done,
    run: (...args) => begin(programPath(agent), args).done,
    async [Symbol.asyncDispose]() {
      await Promise.all([...running].map((child) => endTree(child, "SIGKILL")))
      await model.close()
      rmSync(root, { recursive: true, force: true, maxRetries: 10 })
      forget()
    },
  }
}

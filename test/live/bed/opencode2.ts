import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { findBun } from "../../support/bun.ts"
import { noteFolder } from "./end-hosts.ts"
import { releaseOnExit } from "./exit-guard.ts"
import { type Opencode, serveProject } from "./opencode.ts"
import { REPOSITORY, type ScratchOptions } from "./scratch.ts"

/** OpenCode 2's server, which no registry has: a bundle in a folder beside the repository, or in that of the variable. */
const BUNDLE = join(
  process.env["HIVEMIND_OPENCODE2"] ?? join(REPOSITORY, "..", "shared", "opencode2"),
  "server.tar.xz",
)

/** Why OpenCode 2 cannot be tried here; undefined where it can. */
export const noOpencode2 = existsSync(BUNDLE)
  ? undefined
  : "OpenCode 2 is not here: set HIVEMIND_OPENCODE2 to the folder with its server.tar.xz"

const PASSWORD = "bed"
export const AUTHORIZATION = `Basic ${Buffer.from(`opencode:${PASSWORD}`).toString("base64")}`

export async function startOpencode2(modelUrl: string, options: ScratchOptions): Promise<Opencode> {
  const { limit = { context: 200_000, output: 8_000 }, config = {} } = options
  const env = { OPENCODE_PASSWORD: PASSWORD, OPENCODE_DISABLE_AUTOUPDATE: "1" }
  return serveProject({ command: findBun(), args: [unpacked()], env }, modelUrl, {
    ...options,
    config: {
      provider: undefined,
      permission: undefined,
      // Not "*": the user's rules override those that a plugin gives its agents.
      permissions: ["read", "edit", "shell", "external_directory"].map((action) => ({
        action,
        resource: "*",
        effect: "allow",
      })),
      providers: {
        scripted: {
          name: "Scripted",
          package: `@opencode-ai/ai/providers/${options.format === "anthropic" ? "anthropic" : "openai-compatible"}`,
          settings: { baseURL: modelUrl, apiKey: "none" },
          models: {
            m1: { name: "m1", limit, capabilities: { tools: true, input: ["text"], output: ["text"] } },
          },
        },
      },
      ...config,
    },
  })
}

/** Writes a program `opencode` that starts OpenCode 2, and returns its folder for the PATH. */
export function opencode2OnPath(folder: string): string {
  const path = join(folder, "opencode")
  const start = `exec "${findBun()}" "${unpacked()}" "$@"`
  // The bundle is the server alone, and knows no version.
  writeFileSync(path, `#!/bin/sh\nif [ "$1" = --version ]; then echo 2.0.0; exit; fi\n${start}\n`)
  chmodSync(path, 0o755)
  return folder
}

let program: string | undefined

function unpacked(): string {
  if (program !== undefined) return program
  const folder = mkdtempSync(join(tmpdir(), "hivemind-opencode2-"))
  noteFolder({ folder })
  releaseOnExit(() => rmSync(folder, { recursive: true, force: true }))
  execFileSync("tar", ["xf", BUNDLE, "-C", folder])
  program = join(folder, "server", "lab-serve.js")
  return program
}

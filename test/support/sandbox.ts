import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { GIT_ENV } from "./git-repo.ts"

/**
 * Runs commands that can write to one folder only, in a mount namespace of Linux, under its real path. Undefined if the system
 * allows no namespaces.
 */
export function openSandbox() {
  const scratch = mkdtempSync(join(tmpdir(), "hivemind-sandbox-"))
  const script = join(scratch, "enter.sh")
  writeFileSync(script, ENTER)
  const probe = spawnSync("unshare", ["-rmpf", "bash", script, scratch, scratch, scratch, "true"], QUIET)
  if (probe.status !== 0) {
    rmSync(scratch, { recursive: true, force: true })
    return undefined
  }
  return {
    /** Runs a command in `cwd`. Only `writable`, which holds it, can be changed. */
    run(command: string, writable: string, cwd: string): void {
      const args = ["-rmpf", "--kill-child", "bash", script, scratch, writable, cwd, command]
      const env = { PATH: process.env["PATH"], HOME: join(writable, "home"), ...GIT_ENV, CI: "1" }
      spawnSync("unshare", args, { ...QUIET, env, timeout: LIMIT_MS })
    },
    [Symbol.dispose](): void {
      rmSync(scratch, { recursive: true, force: true })
    },
  }
}

export function copyTree(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true })
  execFileSync("cp", ["-a", from, to])
}

const QUIET = { stdio: "ignore" } as const
const LIMIT_MS = 20_000
const ENTER = `set -e
root=$1/root; writable=$2; cwd=$3
mkdir -p "$root"
mount --rbind / "$root"
mount -o remount,bind,ro "$root"
mount -t tmpfs tmpfs "$root/tmp"
mkdir -p "$root$writable"
mount --bind "$writable" "$root$writable"
exec chroot "$root" bash -c 'cd "$0" && eval "$1"' "$cwd" "$4"
`

import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { brotliDecompressSync } from "node:zlib"
import packed from "@sparticuz/chromium"
import { type Browser, chromium } from "playwright-core"

/** A real Chromium: the system's, else the packed one from the registry. Null if none starts; under CI an error. */
export async function startBrowser(): Promise<Browser | null> {
  const failures: unknown[] = []
  for (const start of [startInstalled, startPacked]) {
    try {
      const browser = await start()
      if (browser !== null) return browser
    } catch (error) {
      failures.push(error)
    }
  }
  if (process.env["CI"] !== undefined) throw new AggregateError(failures, "no browser can start here")
  return null
}

async function startInstalled(): Promise<Browser | null> {
  const path = INSTALLED.find((each) => existsSync(each))
  return path === undefined ? null : chromium.launch({ executablePath: path, args: ["--no-sandbox"] })
}

async function startPacked(): Promise<Browser> {
  // Simulating a graphics card takes most of the processor time.
  packed.setGraphicsMode = false
  const executablePath = await packed.executablePath()
  // The arguments are made for cloud functions: some weaken the browser's rules, which tests rely on, others let pages hang.
  const args = packed.args.filter((arg) => !UNWANTED.test(arg))
  return chromium.launch({ executablePath, args, env: environment(dirname(executablePath)) })
}

function environment(folder: string): Record<string, string> {
  const own = process.env as Record<string, string>
  if (hasLibrary("libnss3.so")) return own
  const libraries = join(folder, "chromium-libraries")
  if (!existsSync(join(libraries, "lib"))) {
    mkdirSync(libraries, { recursive: true })
    const entry = createRequire(import.meta.url).resolve("@sparticuz/chromium")
    const archive = join(dirname(entry), "..", "..", "bin", "al2023.tar.br")
    execFileSync("tar", ["-x", "-C", libraries], { input: brotliDecompressSync(readFileSync(archive)) })
  }
  const path = [join(libraries, "lib"), own["LD_LIBRARY_PATH"]].filter(Boolean).join(":")
  return { ...own, LD_LIBRARY_PATH: path }
}

function hasLibrary(name: string): boolean {
  try {
    return execFileSync("ldconfig", ["-p"], { encoding: "utf8" }).includes(name)
  } catch {
    return false // Without ldconfig it is unknown, and the libraries do no harm.
  }
}

const INSTALLED = [
  ...["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"].map(
    (name) => `/usr/bin/${name}`,
  ),
  ...["/snap/bin/chromium", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"],
]
const UNWANTED =
  /web-security|insecure-content|single-process|no-zygote|site-isolation|features=|in-process-gpu/

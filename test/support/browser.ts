import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { brotliDecompressSync } from "node:zlib"
import packed from "@sparticuz/chromium"
import { type Browser, chromium } from "playwright-core"

/**
 * A real Chromium: that of the system where there is one, else the packed one from the registry. Null where none can start;
 * under CI that is an error.
 */
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
  // Nothing here needs WebGL, and simulating a graphics card takes most of the processor time.
  packed.setGraphicsMode = false
  const executablePath = await packed.executablePath()
  // The arguments are made for cloud functions. Left out: those that weaken the browser's own rules, because tests rely on
  // them, and those that replace Playwright's lists of features or run the GPU inside the browser process, because pages
  // may hang then.
  const args = packed.args.filter((arg) => !UNWANTED.test(arg))
  return chromium.launch({ executablePath, args, env: environment(dirname(executablePath)) })
}

/** It brings the libraries that a bare machine lacks. */
function environment(folder: string): Record<string, string> {
  const own = Object.fromEntries(
    Object.entries(process.env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  )
  if (hasLibrary("libnss3.so")) return own
  const libraries = join(folder, "chromium-libraries")
  if (!existsSync(join(libraries, "lib"))) {
    mkdirSync(libraries, { recursive: true })
    const archive = join(
      dirname(createRequire(import.meta.url).resolve("@sparticuz/chromium")),
      "..",
      "..",
      "bin",
      "al2023.tar.br",
    )
    execFileSync("tar", ["-x", "-C", libraries], { input: brotliDecompressSync(readFileSync(archive)) })
  }
  return {
    ...own,
    LD_LIBRARY_PATH: [join(libraries, "lib"), own["LD_LIBRARY_PATH"]].filter(Boolean).join(":"),
  }
}

function hasLibrary(name: string): boolean {
  try {
    return execFileSync("ldconfig", ["-p"], { encoding: "utf8" }).includes(name)
  } catch {
    return false // Without ldconfig nobody knows, and the libraries do no harm.
  }
}

const INSTALLED = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
]
const UNWANTED =
  /web-security|insecure-content|single-process|no-zygote|site-isolation|features=|in-process-gpu/

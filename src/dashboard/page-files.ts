import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { ownFolder } from "../shared/own-folder.ts"

export interface PageFile {
  type: string
  body: Buffer
}

/** The page as the build made it, by path. There are few and small ones; nothing else of the disk is served. */
export function readPageFiles(folder = join(ownFolder(), "dist", "dashboard")): Map<string, PageFile> {
  const files = new Map<string, PageFile>()
  for (const name of readdirSync(folder)) {
    const type = TYPES[name.slice(name.lastIndexOf("."))]
    if (type !== undefined) files.set(`/${name}`, { type, body: readFileSync(join(folder, name)) })
  }
  const index = files.get("/index.html")
  if (index !== undefined) files.set("/", index)
  return files
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
}

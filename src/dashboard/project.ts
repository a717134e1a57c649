import { createHash } from "node:crypto"
import { basename } from "node:path"
import type { Hive } from "../hive/hive.ts"
import type { News } from "./news.ts"

/** One of the projects that a dashboard shows. */
export interface Project {
  id: string
  name: string
  hive: Hive
  news: News
}

export function projectOf({ home, dir }: Hive): Pick<Project, "id" | "name"> {
  const id = createHash("sha1").update(home).digest("hex").slice(0, 8)
  return { id, name: basename(dir) }
}

import { join } from "node:path"
import { git } from "./git-repo.ts"

export interface Team {
  remote: string
  /** Folders of clones of the remote. */
  anna: string
  bert: string
}

/** A bare repository and two clones of it in a folder. */
export function makeTeam(root: string): Team {
  const remote = join(root, "remote.git")
  git(root, "init", "-q", "--bare", "-b", "main", "remote.git")
  for (const name of ["anna", "bert"]) git(root, "clone", "-q", remote, name)
  const [anna, bert] = [join(root, "anna"), join(root, "bert")]
  git(anna, "commit", "-q", "--allow-empty", "-m", "begin")
  git(anna, "push", "-q", "origin", "HEAD:main")
  git(bert, "fetch", "-q")
  return { remote, anna, bert }
}

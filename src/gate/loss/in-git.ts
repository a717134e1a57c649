import { askGit } from "./ask-git.ts"
import { statOf } from "./on-disk.ts"

/** Those whose very text is in no commit, stash or index. git is asked twice, however many they are. */
export async function notInGit(repository: string, files: readonly string[]): Promise<string[]> {
  const found = files.map((file) => ({ file, stat: statOf(file) })).filter(({ stat }) => stat?.size !== 0)
  // git reads one name per line.
  const isAsked = ({ file, stat }: (typeof found)[number]) => stat?.isFile() === true && !file.includes("\n")
  const asked = found.filter(isAsked)
  const paths = asked.map(({ file }) => `${file}\n`).join("")
  const printed = paths === "" ? "" : await askGit(repository, ["hash-object", "--stdin-paths"], paths)
  const ids = lines(printed)
  const known =
    ids.length < asked.length
      ? []
      : lines(await askGit(repository, ["cat-file", "--batch-check"], `${ids.join("\n")}\n`))
  const isKnown = new Set(asked.filter((_, at) => / \w+ \d+$/.test(known[at] ?? "")).map(({ file }) => file))
  return found.map(({ file }) => file).filter((file) => !isKnown.has(file))
}

function lines(printed = ""): string[] {
  return printed.split("\n").filter((line) => line !== "")
}

import { parseOptions, setOf } from "./options.ts"
import { resolvePath } from "./paths.ts"
import { type Call, type Programs, sameFor } from "./program.ts"
import { judgeReplacement } from "./replaces.ts"
import { DOWNLOADED, isKnown, RELEASE, UNKNOWN } from "./unknown-text.ts"

/** Programs that download text: what they print must not be run by a shell before anybody has read it. */
export const downloads: Programs = {
  curl: (call) => {
    const options = parseOptions(call.args, CURL_VALUED)
    const [folder = "."] = options.values("--output-dir")
    const files = options
      .values("-o", "--output")
      .map((file) => (folder === "." ? file : `${folder}/${file}`))
    if (options.has("-O", "--remote-name", "--remote-name-all"))
      files.push(...options.operands.map((url) => `${folder}/${fileNameOf(url)}`))
    return save(call, files)
  },
  wget: (call) => {
    const options = parseOptions(call.args, WGET_VALUED)
    if (options.has("--spider")) return save(call, [])
    const files = options.values("-O", "--output-document")
    const [folder = "."] = options.values("-P", "--directory-prefix")
    if (options.has("-r", "--recursive", "-m", "--mirror")) return save(call, [folder])
    if (files.length > 0) return save(call, files)
    // By itself it takes another name where there is such a file.
    return save(
      call,
      options.operands.map((url) => `${folder}/${fileNameOf(url)}`),
      false,
    )
  },
  ...sameFor("http https xh", (call) => save(call, [])),
}

function save(call: Call, files: readonly string[], replaces = true): string {
  const kept = files.filter((file) => file !== "-" && file !== "/dev/stdout")
  for (const file of kept) {
    call.run.writes(file, call.frame)
    if (replaces) judgeReplacement(file, call.frame, call.run)
    const isRelease =
      !SCRIPT.test(file) && call.args.some((word) => RELEASED.test(word) && !SCRIPT.test(word))
    call.run.files.set(resolvePath(file, call.frame, call.run), DOWNLOADED + (isRelease ? RELEASE : ""))
  }
  call.run.addKind(kept.length > 0 ? "write" : "other")
  return files.length > 0 && kept.length === files.length ? "" : DOWNLOADED
}

function fileNameOf(url: string): string {
  const name =
    url
      .replace(/[?#].*$/s, "")
      .split("/")
      .at(-1) ?? ""
  if (name !== "" && isKnown(name)) return name
  return isKnown(url) ? "index.html" : UNKNOWN
}

/** A script by its name. */
const SCRIPT =
  /\.(?:sh|bash|zsh|py|pl|rb|[cm]?js|ps1)$|(?:^|\/)(?:install|setup|bootstrap|init|run|get)(?:[-_][\w-]*)?$/i
/** The address of a program that was built: for a system, or as a release. */
const RELEASED =
  /:\/\/.*(?:linux|darwin|macos|windows|win32|amd64|x86_64|x64|arm64|aarch64|\/(?:releases?|latest|downloads?)\/|\bv?\d+\.\d+|\.exe$)/is
const CURL_VALUED = setOf(
  "-o --output --output-dir -H --header -d --data --data-raw --data-binary --data-urlencode --json -X --request -u " +
    "--user -A --user-agent -e --referer -F --form -T --upload-file -b --cookie -c --cookie-jar -m --max-time -w " +
    "--write-out -x --proxy -r --range -K --config -E --cert --cacert --key --retry --retry-delay --connect-timeout " +
    "-C -D --dump-header --url --resolve --limit-rate",
)
const WGET_VALUED = setOf(
  "-O --output-document -P --directory-prefix -o --output-file -U --user-agent --header -t --tries -T --timeout -i " +
    "--input-file --user --password --post-data",
)

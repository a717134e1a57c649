import type { FindingKind } from "./command-reading.ts"
import { setOf } from "./options.ts"
import type { SimpleCommand } from "./syntax-tree.ts"
import { programName } from "./unwrap.ts"

/** The kind of loss that a program causes beyond the project's files: in databases, containers, clouds, on disks. */
export function externalEffect(program: string, { args, input }: SimpleCommand): FindingKind | undefined {
  const line = args.slice(1).join(" ").slice(0, MAX_CHARS)
  const rows = ROWS_BY_PROGRAM.get(program) ?? []
  // An argument with spaces is usually a title or a message. Only database programs take commands in such a text.
  const verbs = rows.length === 0 ? [] : args.slice(1).filter((word) => !/\s/.test(word))
  for (const [kind, pattern, unless] of rows) {
    const read = kind === DATABASE ? line : verbs.join(" ").slice(0, MAX_CHARS)
    if (pattern.test(read) && unless?.test(read) !== true) return kind
  }
  // A database in memory or in a temporary folder may be deleted.
  const isPassing = /^(sqlite3?|duckdb)$/.test(program) && /(^|\s)(:memory:|(\/var)?\/tmp\/\S+)/.test(line)
  if (!SQL_CLIENTS.has(program) || isPassing) return undefined
  return [...args.slice(1), input].some(isDestructiveSql) ? "database" : undefined
}

function isDestructiveSql(text: string): boolean {
  const bare = text.slice(0, MAX_CHARS).replace(/^--(command|execute|query)=/, "")
  return bare
    .replaceAll(NOT_SQL, " ")
    .split(";")
    .map((statement) => statement.trim().replaceAll(/\s+/g, " "))
    .some((one) => SQL_DROPS.test(one) || (/^DELETE FROM\b/i.test(one) && !/ WHERE /i.test(one)))
}

/** Whether a command runs a download that was not read: by a pipe, a substitution, or a file that it saved before. */
export function runsDownload(program: string, command: SimpleCommand, saved: ReadonlySet<string>): boolean {
  const { args, text, upstream } = command
  const [path = "", ...words] = args
  const script = words.find((word) => !word.startsWith("-")) ?? ""
  const isShell = SHELLS.has(program)
  if (isShell || /^(source|\.|eval)$/.test(program) || text.startsWith("$(")) {
    if (/(\$\(|`|<\()\s*(sudo\s+)?(curl|wget|https?|xh)\s/.test(text)) return true
    if (program !== "eval" && saved.has(baseName(script))) return true
  }
  const isPiped = upstream.some((one) => one.args.slice(0, 2).some((word) => isDownloader(programName(word))))
  if (isPiped && isShell && (script === "" || script === "-" || words.includes("-s"))) return true
  return /[/\\]/.test(path) && saved.has(`./${baseName(path)}`)
}

/** Records saved downloads: `name` for `sh name`, and `./name` for running the file itself, unless it seems to be compiled. */
export function noteDownloads(program: string, { args, outputs }: SimpleCommand, saved: Set<string>): void {
  if (!isDownloader(program)) return
  const urls = args.filter((word) => /^https?:\/\//.test(word))
  const named = args.filter((_, at) => /^-\w*[oO]$|^--output(-document)?$/.test(args[at - 1] ?? ""))
  const isByName = program === "wget" || args.some((word) => /^-\w*O$|^--remote-name$/.test(word))
  const files = [...named, ...outputs.map(({ path }) => path), ...(isByName ? urls : [])]
  const isBuilt = urls.some((url) => BUILT.test(url) && !SCRIPT.test(baseName(url)))
  for (const file of files.map((path) => baseName(path.replace(/[?#].*$/s, ""))))
    if (!/^-?$/.test(file)) saved.add(file).add(isBuilt && !SCRIPT.test(file) ? file : `./${file}`)
}

const baseName = (path: string): string => path.split("/").at(-1) ?? ""

const CLOUD = "cluster or cloud"
const DISK = "disk or machine"
const DATABASE = "database"
const REMOTE = "remote deletion"
type Row = readonly [programs: string, kind: FindingKind, pattern: RegExp, unless?: RegExp]
const LOOKS = /(^|\s)(--help|--dryrun|--dry-run(=(client|server))?|plan|search|list|view|show)(\s|$)/
const HELP = /(^|\s)(-l|--list|print|--help|--version|-V|-n|-c)(\s|$)/
const ON_DEVICE = /(^|\s)(\/dev\/\S+|[\uE000\uE001]\S*)$/
const REMADE =
  /\/(labels|assignees|reactions|caches)\b|^(actions-cache|cache|run|label|codespace)\b|^\S+ (list|view)\b/
const ROWS: Row[] = [
  ["docker podman nerdctl", "volume", /^(.* )?(system prune|volume (rm|remove|prune))\b/, LOOKS],
  ["docker podman nerdctl docker-compose", "volume", /(^|\s)down\b.*\s(-v|--volumes)\b/],
  ["kubectl oc eksctl kind k3d minikube", CLOUD, /(^|\s)delete(\s|$)/, LOOKS],
  ["helm", CLOUD, /^(.* )?(uninstall|delete)\s/, /^(repo|plugin)\b|--dry-run/],
  ["terraform tofu terragrunt", CLOUD, /(^|\s)-?-?destroy\b/, /(^|\s)plan\b|--help|^state\b/],
  ["pulumi cdk serverless sls", CLOUD, /(^|\s)(destroy|remove)\b/, LOOKS],
  ["aws", CLOUD, /(^|\s)(rb|rm|delete-\S+|terminate-\S+|purge-\S+|--delete)(\s|$)/, LOOKS],
  ["gcloud gsutil az doctl heroku netlify firebase", CLOUD, /(^|\s)(\S+:)?(delete|destroy|rm)(\s|$)/, LOOKS],
  ["fly flyctl vercel wrangler", CLOUD, /(^|\s)(delete|destroy|rm|remove)(\s|$)/, LOOKS],
  ["rclone s3cmd mc", CLOUD, /^(.* )?(purge|delete|del|rm|rb)\s/, LOOKS],
  ["gh glab", REMOTE, /(^|\s|-X)(delete|DELETE)(\s|$)/, REMADE],
  ["curl wget", REMOTE, /(-X ?|(request|method)[ =])DELETE\b.*:\/\/(api\.)?(github|gitlab|npmjs)\b/],
  ["npm pnpm yarn gem", REMOTE, /^(unpublish|yank)\b/],
  ["dropdb", DATABASE, /./, HELP],
  ["mysqladmin", DATABASE, /\bdrop\b/],
  ["redis-cli valkey-cli", DATABASE, /\bFLUSH(ALL|DB)\b/i],
  ["mongosh mongo", DATABASE, /\bdropDatabase\s*\(|\.drop\s*\(|\.(deleteMany|remove)\s*\(\s*\{\s*\}/],
  ["prisma supabase", DATABASE, /\b(migrate|db) reset\b|--force-reset\b/],
  ["rails rake", DATABASE, /\bdb:(drop|reset|purge|schema:load|migrate:reset)\b/],
  ["artisan manage.py", DATABASE, /\bmigrate:(fresh|reset|refresh)\b|\bdb:wipe\b|^(flush|reset_db)\b/],
  ["sequelize sequelize-cli typeorm console", DATABASE, /\b(db|schema|database):drop\b/],
  ["mix dotnet diesel sqlx heroku", DATABASE, /^(ecto\.|ef database |database |pg:)(drop|reset)\b/],
  ["flyway alembic", DATABASE, /(^|\s)(clean|downgrade base)$/],
  ["sfdisk gdisk sgdisk cfdisk fdisk parted blkdiscard badblocks", DISK, /./, HELP],
  ["lvremove vgremove pvremove", DISK, /./, HELP],
  ["mkfs mke2fs mkswap", DISK, ON_DEVICE],
  ["wipefs", DISK, /\s/, HELP],
  ["diskutil cryptsetup zpool zfs", DISK, /^(erase|partition|zero|reformat|luksFormat|luksErase|destroy)/i],
  ["format", DISK, /(^|\s)[a-z]:/i],
  ["shutdown reboot halt poweroff", DISK, /^/, HELP],
  ["systemctl init", DISK, /^(poweroff|reboot|halt|kexec|[06]$)/],
  ["kill", DISK, /\s-1$/],
  ["killall pkill", DISK, /^(-\S+ )*([.*^$]*|-u \S+)$/, HELP],
  ["crontab", DISK, /(^|\s)-r\b/],
]
const ROWS_BY_PROGRAM = new Map<string, (readonly [FindingKind, RegExp, RegExp?])[]>()
for (const [programs, ...row] of ROWS)
  for (const program of programs.split(" "))
    ROWS_BY_PROGRAM.set(program, [...(ROWS_BY_PROGRAM.get(program) ?? []), row])

const SQL_CLIENTS = setOf(
  "psql pgcli mysql mariadb mycli sqlite3 sqlite duckdb sqlcmd clickhouse-client clickhouse cockroach cqlsh",
)
const SQL_DROPS = /^(DROP [A-Z]|TRUNCATE\b|ALTER TABLE\b.* DROP (?!CONSTRAINT|INDEX|DEFAULT|NOT)\S)/i
/** SQL comments and quoted text, whose words are no statements. */
const NOT_SQL = /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'[^']*(?:'|$)|"[^"]*(?:"|$)|`[^`]*(?:`|$)/g
const isDownloader = (program: string) => /^(curl|wget|https?|xh)$/.test(program)
const SHELLS = setOf("sh bash zsh dash ksh ash fish python node perl ruby php deno bun")
const SCRIPT = /\.(sh|bash|zsh|py|pl|rb|[cm]?js|ps1)$|^(install|setup|bootstrap|init|run|get)([-_][\w-]*)?$/i
const BUILT =
  /:\/\/.*(linux|darwin|macos|windows|amd64|x86_64|x64|arm64|aarch64|\/(releases?|latest|downloads?)\/|\bv?\d+\.\d+|\.exe$)/is
const MAX_CHARS = 100_000

import { createHash } from "node:crypto"

const ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
const HEX = "0123456789abcdef"
const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

/** Pseudo-random text, the same in every run. So this file contains no token that a secret scanner would report. */
export function random(seed: string, length: number, from = ALNUM): string {
  let text = ""
  for (let n = 0; text.length < length; n++)
    for (const byte of createHash("sha256").update(`${seed} ${n}`).digest()) text += from[byte % from.length]
  return text.slice(0, length)
}

const DIGITS = "0123456789"
const base64 = (text: string) => Buffer.from(text).toString("base64")
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
const pem = (seed: string) => (random(seed, 800).match(/.{64}/g) ?? []).join("\n")

export interface Planted {
  kind: string
  text: string
  secret: string
}

function planted(kind: string, secret: string, around = "it works with §, see there"): Planted {
  return { kind, secret, text: around.replaceAll("§", () => secret) }
}

const PUTTY = `PuTTY-User-Key-File-3: ssh-ed25519
Encryption: none
Comment: ann
Public-Lines: 1
${random("pub", 64)}
Private-Lines: 2
§
${random("pv", 20)}
Private-MAC: ${random("pw", 64, HEX)}`
const JWT_HEAD = `${base64url({ alg: "HS256", typ: "JWT" })}.${base64url({ sub: "1", name: "Ann" })}`
const K8S_KEY = base64(`-----BEGIN RSA PRIVATE KEY-----\n${pem("k8s")}`)
const TLS_KEY = base64(`-----BEGIN PRIVATE KEY-----\n${pem("tls")}`)

export const PLANTED: readonly Planted[] = [
  planted("password", random("env", 24), 'export DB_PASSWORD="§" && npm start'),
  planted("secret", random("jwt secret", 40, HEX), "JWT_SECRET=§"),
  planted("GitHub token", `ghp_${random("ghp", 36)}`),
  planted("GitHub token", `ghs_${random("ghs", 36)}`, "GITHUB_TOKEN=§"),
  planted("GitHub token", `github_pat_${random("pat", 22)}_${random("pat2", 59)}`),
  planted("GitLab token", `glpat-${random("gl", 20)}`, "https://oauth2:§@gitlab.com/a/b.git"),
  planted("GitLab token", `glrt-${random("glrt", 20)}`),
  planted("AWS key", `AKIA${random("aws", 16, UPPER)}`),
  planted("AWS secret key", random("awss", 40), "AWS_SECRET_ACCESS_KEY=§"),
  planted("AWS secret key", random("awst", 40), 'secretAccessKey: "§"'),
  planted("Google key", `AIza${random("g", 35)}`, "?key=§"),
  planted("Google token", `GOCSPX-${random("gc", 28)}`),
  planted("Slack token", `xoxb-${random("s", 12, DIGITS)}-${random("t", 12, DIGITS)}-${random("u", 24)}`),
  planted(
    "webhook address",
    `${random("w", 8)}/B${random("x", 8)}/${random("y", 24)}`,
    "https://hooks.slack.com/services/T§",
  ),
  planted("Stripe key", `sk_live_${random("st", 24)}`),
  planted("Stripe key", `whsec_${random("wh", 32)}`),
  planted("OpenAI key", `sk-proj-${random("op", 48)}`),
  planted("OpenAI key", `sk-${random("oq", 48)}`, 'export OPENAI_API_KEY="§"'),
  planted("Anthropic key", `sk-ant-api03-${random("an", 93)}AA`),
  planted("JWT", `${JWT_HEAD}.${random("jwt", 43)}`),
  planted("npm token", `npm_${random("npm", 36)}`, "//registry.npmjs.org/:_authToken=§"),
  planted("PyPI token", `pypi-AgEIcHlwaS5vcmc${random("py", 100)}`),
  planted("Hugging Face token", `hf_${random("hf", 34)}`),
  planted("bearer token", random("be", 40), 'curl -H "Authorization: Bearer §" https://api.example.com'),
  planted("credentials", random("ba", 24), "Authorization: Basic §"),
  planted("password", random("pg", 12), "DATABASE_URL=postgres://app:§@db.example.com:5432/app"),
  planted("password", `p@ss${random("my", 6)}`, "mysql://root:§@10.0.0.3/shop"),
  planted("password", random("rd", 16), "redis://:§@cache:6379/0"),
  planted("password", random("mo", 16), "mongodb+srv://u:§@c0.mongodb.net/?w=majority"),
  planted("password", random("ado", 14), "Server=tcp:db,1433;User ID=sa;Password=§;Encrypt=true"),
  planted("Azure key", random("az", 86), "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=§=="),
  planted("private key", pem("rsa"), "-----BEGIN RSA PRIVATE KEY-----\n§\n-----END RSA PRIVATE KEY-----"),
  planted("private key", pem("cut"), "-----BEGIN OPENSSH PRIVATE KEY-----\n§"),
  planted("Telegram token", `${random("tg", 9, "123456789")}:AA${random("th", 33)}`),
  planted("DigitalOcean token", `dop_v1_${random("do", 64, HEX)}`),
  planted("SendGrid key", `SG.${random("sg", 22)}.${random("sh", 43)}`),
  planted("Shopify token", `shpat_${random("sp", 32, HEX)}`),
  planted("Linear key", `lin_api_${random("li", 40)}`),
  planted("Notion token", `ntn_${random("nt", 11, DIGITS)}${random("nu", 35)}`),
  planted("Twilio key", `SK${random("tw", 32, HEX)}`),
  planted("Sentry token", `sntryu_${random("sn", 64, HEX)}`),
  planted("Atlassian token", `ATATT3xFfGF0${random("at", 172)}=${random("au", 8, HEX)}`),
  ...["%40", "$2", "*", "("].map((start, n) =>
    planted("password", `${start}${random(`pc ${n}`, 9)}`, "mysql://app:§@db/app"),
  ),
  planted(
    "Discord token",
    `MTA${random("di", 21)}.G${random("dj", 5)}.${random("dk1", 38)}`,
    "DISCORD=§ node bot.js",
  ),
  planted("Discord token", `${base64("198622483471925248")}.Cl2FMQ.${random("dl", 27)}`),
  planted("Discord token", `mfa.${random("dm", 84)}`),
  planted("private key", random("pu", 64), PUTTY),
  planted("private key", K8S_KEY.slice(0, 200), `client-key-data: §${K8S_KEY.slice(200)}`),
  planted("private key", TLS_KEY.slice(0, 200), `see §${TLS_KEY.slice(200)} there`),
  planted("private key", random("kd", 120), '"client-key-data": "§"'),
  planted("password", "correct horse battery staple", 'password: "§"'),
  planted("password", "hunter2xyz", "The db password: § is on staging"),
  planted("password", "hunter2xyz", "password: §, user joe"),
  planted("password", "Rain in M4y!", "export DB_PASSWORD='§'"),
  planted("password", "blue Harbor 77x", '{"user": "ann", "password": "§"}'),
  planted("Docker token", `dckr_pat_${random("dk", 27)}`),
  planted("Vault token", `hvs.${random("hv", 95)}`),
]

import { createHash } from "node:crypto"

const ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
const HEX = "0123456789abcdef"
const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

/** Characters that are random to look at and the same in every run. No token stands in this file as text. */
export function random(seed: string, length: number, from = ALNUM): string {
  let text = ""
  for (let n = 0; text.length < length; n++)
    for (const byte of createHash("sha256").update(`${seed} ${n}`).digest()) text += from[byte % from.length]
  return text.slice(0, length)
}

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
const base64 = (text: string) => Buffer.from(text).toString("base64")
const pem = (seed: string) => (random(seed, 800).match(/.{64}/g) ?? []).join("\n")

export interface Planted {
  /** What the mask has to say. */
  kind: string
  /** What a person or a program writes. */
  text: string
  /** What must not be on the disk. */
  secret: string
}

function planted(kind: string, secret: string, text = `it works with ${secret}, see there`): Planted {
  return { kind, text, secret }
}

/** Secrets of many kinds, in the surroundings in which they come. */
export const PLANTED: readonly Planted[] = [
  planted("password", random("env", 24), `export DB_PASSWORD="${random("env", 24)}" && npm start`),
  planted("secret", random("jwt secret", 40, HEX), `JWT_SECRET=${random("jwt secret", 40, HEX)}`),
  planted("GitHub token", `ghp_${random("ghp", 36)}`),
  planted("GitHub token", `ghs_${random("ghs", 36)}`, `GITHUB_TOKEN=ghs_${random("ghs", 36)}`),
  planted("GitHub token", `github_pat_${random("pat", 22)}_${random("pat2", 59)}`),
  planted(
    "GitLab token",
    `glpat-${random("gl", 20)}`,
    `https://oauth2:glpat-${random("gl", 20)}@gitlab.com/a/b.git`,
  ),
  planted("GitLab token", `glrt-${random("glrt", 20)}`),
  planted("AWS key", `AKIA${random("aws", 16, UPPER)}`),
  planted("AWS secret key", random("awss", 40), `AWS_SECRET_ACCESS_KEY=${random("awss", 40)}`),
  planted("AWS secret key", random("awst", 40), `secretAccessKey: "${random("awst", 40)}"`),
  planted("Google key", `AIza${random("g", 35)}`, `?key=AIza${random("g", 35)}`),
  planted("Google token", `GOCSPX-${random("gc", 28)}`),
  planted(
    "Slack token",
    `xoxb-${random("s", 12, "0123456789")}-${random("t", 12, "0123456789")}-${random("u", 24)}`,
  ),
  planted(
    "webhook address",
    `${random("w", 8)}/B${random("x", 8)}/${random("y", 24)}`,
    `https://hooks.slack.com/services/T${random("w", 8)}/B${random("x", 8)}/${random("y", 24)}`,
  ),
  planted("Stripe key", `sk_live_${random("st", 24)}`),
  planted("Stripe key", `whsec_${random("wh", 32)}`),
  planted("OpenAI key", `sk-proj-${random("op", 48)}`),
  planted("OpenAI key", `sk-${random("oq", 48)}`, `export OPENAI_API_KEY="sk-${random("oq", 48)}"`),
  planted("Anthropic key", `sk-ant-api03-${random("an", 93)}AA`),
  planted(
    "JWT",
    `${base64url({ alg: "HS256", typ: "JWT" })}.${base64url({ sub: "1", name: "Ann" })}.${random("jwt", 43)}`,
  ),
  planted(
    "npm token",
    `npm_${random("npm", 36)}`,
    `//registry.npmjs.org/:_authToken=npm_${random("npm", 36)}`,
  ),
  planted("PyPI token", `pypi-AgEIcHlwaS5vcmc${random("py", 100)}`),
  planted("Hugging Face token", `hf_${random("hf", 34)}`),
  planted(
    "bearer token",
    random("be", 40),
    `curl -H "Authorization: Bearer ${random("be", 40)}" https://api.example.com`,
  ),
  planted("credentials", random("ba", 24), `Authorization: Basic ${random("ba", 24)}`),
  planted(
    "password",
    random("pg", 12),
    `DATABASE_URL=postgres://app:${random("pg", 12)}@db.example.com:5432/app`,
  ),
  planted("password", `p@ss${random("my", 6)}`, `mysql://root:p@ss${random("my", 6)}@10.0.0.3/shop`),
  planted("password", random("rd", 16), `redis://:${random("rd", 16)}@cache:6379/0`),
  planted("password", random("mo", 16), `mongodb+srv://u:${random("mo", 16)}@c0.mongodb.net/?w=majority`),
  planted(
    "password",
    random("ado", 14),
    `Server=tcp:db,1433;User ID=sa;Password=${random("ado", 14)};Encrypt=true`,
  ),
  planted(
    "Azure key",
    random("az", 86),
    `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${random("az", 86)}==`,
  ),
  planted(
    "private key",
    pem("rsa"),
    `-----BEGIN RSA PRIVATE KEY-----\n${pem("rsa")}\n-----END RSA PRIVATE KEY-----`,
  ),
  planted("private key", pem("cut"), `-----BEGIN OPENSSH PRIVATE KEY-----\n${pem("cut")}`),
  planted("Telegram token", `${random("tg", 9, "123456789")}:AA${random("th", 33)}`),
  planted("DigitalOcean token", `dop_v1_${random("do", 64, HEX)}`),
  planted("SendGrid key", `SG.${random("sg", 22)}.${random("sh", 43)}`),
  planted("Shopify token", `shpat_${random("sp", 32, HEX)}`),
  planted("Linear key", `lin_api_${random("li", 40)}`),
  planted("Notion token", `ntn_${random("nt", 11, "0123456789")}${random("nu", 35)}`),
  planted("Twilio key", `SK${random("tw", 32, HEX)}`),
  planted("Sentry token", `sntryu_${random("sn", 64, HEX)}`),
  planted("Atlassian token", `ATATT3xFfGF0${random("at", 172)}=${random("au", 8, HEX)}`),
  planted("password", `%40${random("pc", 9)}`, `mysql://app:%40${random("pc", 9)}@db/app`),
  planted("password", `$2${random("pd", 9)}`, `mysql://app:$2${random("pd", 9)}@db/app`),
  planted("password", `*${random("pe", 9)}`, `mysql://app:*${random("pe", 9)}@db/app`),
  planted("password", `(${random("pf", 9)}`, `mysql://app:(${random("pf", 9)}@db/app`),
  planted(
    "Discord token",
    `MTA${random("di", 21)}.G${random("dj", 5)}.${random("dk1", 38)}`,
    `DISCORD=MTA${random("di", 21)}.G${random("dj", 5)}.${random("dk1", 38)} node bot.js`,
  ),
  planted("Discord token", `${base64("198622483471925248")}.Cl2FMQ.${random("dl", 27)}`),
  planted("Discord token", `mfa.${random("dm", 84)}`),
  planted(
    "private key",
    random("pu", 64),
    `PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: ann\nPublic-Lines: 1\n${random("pub", 64)}\nPrivate-Lines: 2\n${random("pu", 64)}\n${random("pv", 20)}\nPrivate-MAC: ${random("pw", 64, HEX)}`,
  ),
  planted(
    "private key",
    base64(`-----BEGIN RSA PRIVATE KEY-----\n${pem("k8s")}`).slice(0, 200),
    `client-key-data: ${base64(`-----BEGIN RSA PRIVATE KEY-----\n${pem("k8s")}`)}`,
  ),
  planted(
    "private key",
    base64(`-----BEGIN PRIVATE KEY-----\n${pem("tls")}`).slice(0, 200),
    `see ${base64(`-----BEGIN PRIVATE KEY-----\n${pem("tls")}`)} there`,
  ),
  planted("private key", random("kd", 120), `"client-key-data": "${random("kd", 120)}"`),
  planted("password", "correct horse battery staple", 'password: "correct horse battery staple"'),
  planted("password", "hunter2xyz", "The db password: hunter2xyz is on staging"),
  planted("password", "hunter2xyz", "password: hunter2xyz, user joe"),
  planted("password", "Rain in M4y!", "export DB_PASSWORD='Rain in M4y!'"),
  planted("password", "blue Harbor 77x", '{"user": "ann", "password": "blue Harbor 77x"}'),
  planted("Docker token", `dckr_pat_${random("dk", 27)}`),
  planted("Vault token", `hvs.${random("hv", 95)}`),
]

import { createHash, randomUUID } from "node:crypto"
import { random } from "./planted.ts"

const hash = (name: string, n: number) => createHash(name).update(`${n}`).digest("hex")
const bytes = (n: number, length: number) => Buffer.from(random(`bytes ${n}`, length), "latin1")
const ten = <T>(make: (n: number) => T): T[] => Array.from({ length: 10 }, (_, n) => make(n))

export const HARMLESS: readonly string[] = [
  "MAX_TOKENS=8192 and TOKEN_BUDGET=100000000",
  "SECRET_VERSION=2024-01-01-preview",
  "JWT_SECRET=/run/secrets/jwt1-secret",
  "NPM_TOKEN=$NPM_TOKEN_2024",
  "API_KEY=<your key of 2024>",
  `GITHUB_TOKEN=\${{ secrets.BOT_TOKEN_2 }}`,
  ...ten((n) => `fixed in ${hash("sha1", n)}`),
  ...ten((n) => `see ${hash("sha1", n).slice(0, 8)}..${hash("sha1", n + 20).slice(0, 12)}`),
  ...ten((n) => `sha256:${hash("sha256", n)}`),
  ...ten((n) => `"integrity": "sha512-${createHash("sha512").update(`${n}`).digest("base64")}"`),
  ...ten((n) => `md5 ${hash("md5", n)} of the file`),
  ...ten(() => `task ${randomUUID()} waits`),
  ...ten((n) => `<img src="data:image/png;base64,iVBORw0KGgo${bytes(n, 300).toString("base64")}">`),
  ...ten((n) => `src/auth.ts:${n + 1}@${hash("sha256", n).slice(0, 16)}`),
  ...ten((n) => `ses_${random(`ses ${n}`, 26)}`),
  ...ten(
    (n) =>
      `certificate-authority-data: ${Buffer.from(`-----BEGIN CERTIFICATE-----\n${random(`ca ${n}`, 300)}`).toString("base64")}`,
  ),
  ...ten((n) => `Private-Lines: ${n}`),
  "NotificationSubscriptionStore.select.subscriptionsOfTheSameConversation",
  "MutableInteractionSource.collect.collectIsPressedAsStateWithLifecycle",
  "https://example.com/a:b and src/a.ts:12@0123456789abcdef, c:/work/a.ts:12@0123456789abcdef",
  "ssh-keygen -f id_rsa: writes id_rsa.pub beside it",
  "tls.key: the file /etc/tls/tls.key",
  ...ten((n) => `https://cdn.example.com/assets/index-${random(`asset ${n}`, 8)}.js?v=${hash("md5", n)}`),
  ...`Authorization: Bearer <token>
Authorization: Bearer $TOKEN
Authorization: Bearer \${process.env.API_TOKEN}
the Authorization: header is checked first
Authorization: token validation happens in the middleware
Authorization = basic knowledge of the roles
sk-admin-panel-for-managing-all-users
xoxb-your-token-here
ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
AKIAIOSFODNN7EXAMPLE
send the token as a bearer token in the header
use bearer authentication-and-authorization
postgres://user:password@localhost:5432/app
postgres://user:%PGPASSWORD%@localhost/app
postgres://\${USER}:\${PASSWORD}@db/app
postgres://localhost:5432/app
https://localhost:3000/login
see http://localhost:3000?mail=ann@example.com
git@github.com:owner/some-long-repository-name.git
mailto:someone.with.a.long.name@example.com
-----BEGIN PRIVATE KEY----- is the first line
-----BEGIN PUBLIC KEY-----
a GitHub token begins with ghp_ or github_pat_
the prefix sk-ant- names Anthropic's keys
AKIA is the prefix of AWS keys
process.env.AWS_SECRET_ACCESS_KEY
AWS_SECRET_ACCESS_KEY=$SECRET
the password: at least twelve characters
getAuthenticationTokenFromRequestHeaders()
the_quick_brown_fox_jumps_over_the_lazy_dog
SCREAMING_SNAKE_CASE_CONSTANT_NAME_WITH_WORDS
--experimental-strip-types --no-warnings
@modelcontextprotocol/server-filesystem@2026.8.31
hivemind-opencode@0.1.0-alpha.20260211.143000
node_modules/@opencode-ai/plugin/dist/index.js
src/knowledge/recall/function-words.test.ts:120
C:\\new\\repository\\tests\\really-long-name.test.ts
/usr/local/lib/python3.12/site-packages/yaml
refs/heads/feature/stripe-sk-live-migration
sk-button-primary-large-rounded-disabled
task_live_preview_of_the_document_editor
pk_users_email_unique_index_on_accounts
npm_config_user_agent and npm_package_version
pypi-publish-action-with-trusted-publishing
pat.example.com and sat.example.com
eyJhbGciOiJIUzI1NiJ9 is only the header of a JWT
3.141592653589793238462643383279502884197
+49 30 1234567890 and 0049-30-1234567890
2026-02-11T14:30:00.000Z/2026-02-12T00:00:00Z
301411022026 is the stamp of the session
arn:aws:iam::123456789012:role/deploy-production
123456789012.dkr.ecr.eu-central-1.amazonaws.com/app
sha256~ is how OpenShift begins
glob: src/**/*.{test,spec}.{ts,tsx,js,jsx}
font-family: -apple-system,BlinkMacSystemFont
linear-gradient(90deg,#0f0c29,#302b63,#24243e)
0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed
bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq
QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKtPZ
01ARZ3NDEKTSV4RRFFQ69G5FAV is a ULID
V1StGXR8_Z5jdHi6B-myT is a nanoid
507f1f77bcf86cd799439011 is an ObjectId
cjld2cjxh0000qzrmn831i7rn is a cuid
fe80::1ff:fe23:4567:890a%eth2 and 00:1B:44:11:3A:B7
W/"33a64df551425fcc55e4d42a148795d9f25f89d4"
Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36
TGlzdCBvZiB0aGluZ3MgdG8gZG8gZm9yIHRoZSByZWxlYXNl
QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWY=
R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7
the Donaudampfschifffahrtsgesellschaftskapitaen came
lentokonesuihkuturbiinimoottoriapumekaanikko
日本語のとても長い文章にはトークンがありません
hf_transfer makes downloads from the hub faster
gl-matrix-vec3-transform-mat4-benchmarks
the token bucket refills at 10 requests per second
rotate-secrets-every-90-days-in-production-clusters
cookie: theme=dark; locale=en-US; consent=accepted
dapi is what Databricks calls its tokens
access-control-allow-origin: https://example.com
whsec_ begins the secret of a webhook
[masked: GitHub token]
postgres://app:[masked: password]@db.example.com/app
Authorization: Bearer [masked: bearer token]
it was [masked: private key] before`.split("\n"),
]

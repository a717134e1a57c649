type Rule = readonly [kind: string, pattern: RegExp, words: string]

/**
 * The most common tokens, recognised by their shape: kind, pattern, and keywords in lower case (each match contains one). Lengths
 * have a wide range, because a text may contain a token that was cut.
 */
export const TOKEN_RULES: readonly Rule[] = [
  [
    "GitHub token",
    /\b(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_\w{22,255})/g,
    "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
  ],
  [
    "GitLab token",
    /\b(?:gl(?:pat|dt|rt|rtr|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[\w.-]{20,}|GR1348941[\w-]{20})/g,
    "gl gr1348941",
  ],
  ["AWS key", /\b(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/g, "a3t akia asia abia acca"],
  ["Google key", /\bAIza[\w-]{35}(?![\w-])/g, "aiza"],
  ["Google token", /\b(?:ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,}|1\/\/0[\w-]{40,})/g, "ya29. gocspx- 1//0"],
  [
    "Slack token",
    /\b(?:xox[a-z](?:\.xox[a-z])?-(?=[\w-]{0,40}\d)[\w-]{10,}|xapp-\d-[\w-]{10,})/gi,
    "xox xapp-",
  ],
  [
    "webhook address",
    // Also with one slash, because a program that takes the URL for a path drops the other.
    /\bhttps:\/{1,2}(?:hooks\.slack\.com\/(?:services|workflows|triggers)\/[\w/+-]{20,}|(?:\w+\.)?discord(?:app)?\.com\/api\/webhooks\/\d+\/[\w-]{40,})/g,
    "hooks.slack.com /webhooks/",
  ],
  [
    "Stripe key",
    /\b(?:(?:sk|rk)_(?:live|test|prod)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{24,})/g,
    "sk_ rk_ whsec_",
  ],
  ["Anthropic key", /\bsk-ant-[\w-]{16,}/g, "sk-ant-"],
  [
    "OpenAI key",
    /\bsk-(?:(?:proj|svcacct|admin|None|service)-(?=[\w-]{0,60}[A-Z0-9])[\w-]{20,}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|[A-Za-z0-9]{40,}(?![\w-]))/g,
    "sk-",
  ],
  ["OpenRouter key", /\bsk-or-v1-[0-9a-f]{32,}/g, "sk-or-"],
  [
    "API key",
    /\b(?:gsk_[A-Za-z0-9]{40,}|xai-[A-Za-z0-9]{60,}|r8_[A-Za-z0-9]{37}|tvly-[\w-]{24,})(?![\w-])/g,
    "gsk_ xai- r8_ tvly-",
  ],
  ["Hugging Face token", /\b(?:hf|api_org)_[A-Za-z0-9]{34,}(?![A-Za-z0-9])/g, "hf_ api_org_"],
  ["JWT", /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]*)?/g, "eyj"],
  ["Atlassian token", /\bAT[AC]TT3[\w=-]{60,}/g, "atatt3 atctt3"],
  ["Databricks token", /\bdapi[0-9a-f]{32}(?![A-Za-z0-9])/g, "dapi"],
  ["Airtable token", /\bpat[A-Za-z0-9]{14}\.[0-9a-f]{40,}/g, "pat"],
  ["Terraform token", /\b[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,}/g, ".atlasv1."],
  ["Twilio key", /\bSK[0-9a-f]{32}(?![A-Za-z0-9])/g, "sk"],
  ["npm token", /\bnpm_[A-Za-z0-9]{36}(?![A-Za-z0-9])/g, "npm_"],
  ["PyPI token", /\bpypi-[\w-]{50,}/g, "pypi-"],
  ["Docker token", /\bdckr_(?:pat|oat)_[\w-]{20,}/g, "dckr_"],
  ["Vault token", /\bhv[sbr]\.[\w-]{20,}/g, "hvs. hvb. hvr."],
  ["Square token", /\bsq0(?:atp|csp)-[\w-]{22,}/g, "sq0"],
  ["Figma token", /\bfig[dorup]{1,2}_[\w-]{36,}/g, "fig"],
  ["Supabase token", /\bsb(?:p_[0-9a-f]{40}|_secret_[\w-]{20,})(?![A-Za-z0-9])/g, "sbp_ sb_secret_"],
  ["Telegram token", /\b\d{8,10}:AA[\w-]{33}(?![\w-])/g, ":aa"],
  [
    "Discord token",
    // A bot's token is its id in base64, a time and a signature; `mfa.…` is a user's, with two-factor authentication.
    /\b(?:(?=[\w-]{0,27}\d)(?=[\w-]{0,27}[a-z])[MNO][\w-]{23,27}\.[\w-]{6,7}\.(?=[\w-]{0,40}\d)(?=[\w-]{0,40}[A-Z])[\w-]{27,45}|mfa\.[\w-]{80,90})(?![\w-])/g,
    ".",
  ],
  [
    "private key",
    // `-----BEGIN … PRIVATE KEY` in base64. Certificates do not match.
    /\bLS0tLS1CRUdJTiB(?:QUklWQVRF|SU0EgUFJJVkFUR|FQyBQUklWQVRF|PUEVOU1NIIFBSSVZBVE|EU0EgUFJJVkFUR|FTkNSWVBURUQgUFJJVkFUR)[A-Za-z0-9+/]{20,}={0,2}/g,
    "ls0tls1crudjtib",
  ],
  ["Azure secret", /(?<![\w~.-])[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])/g, "q~"],
]

/** Tokens recognised by a prefix: the kind, the minimum length after the prefix, and the prefixes. */
const PREFIXED: readonly (readonly [kind: string, least: number, prefixes: string])[] = [
  ["1Password token", 100, "ops_eyJ"],
  ["Age key", 40, "AGE-SECRET-KEY-1"],
  ["Alibaba key", 20, "LTAI"],
  ["Brevo key", 50, "xkeysib-"],
  ["Clojars token", 50, "CLOJARS_"],
  ["DigitalOcean token", 40, "dop_v1_ doo_v1_ dor_v1_"],
  ["Doppler token", 36, "dp.pt."],
  ["Duffel token", 36, "duffel_live_ duffel_test_"],
  ["Dynatrace token", 60, "dt0c01."],
  ["EasyPost key", 50, "EZAK EZTK"],
  ["Fly token", 40, "fo1_"],
  ["Fly token", 80, "fm1r_ fm2_"],
  ["Frame.io token", 50, "fio-u-"],
  ["Grafana token", 32, "glsa_"],
  ["Grafana token", 28, "glc_eyJ"],
  ["Heroku key", 50, "HRKU-AA"],
  ["Linear key", 36, "lin_api_"],
  ["New Relic key", 24, "NRAK-"],
  ["New Relic key", 28, "NRII-"],
  ["Notion token", 40, "ntn_"],
  ["Perplexity key", 40, "pplx-"],
  ["PlanetScale token", 30, "pscale_tkn_ pscale_oauth_"],
  ["PlanetScale password", 30, "pscale_pw_"],
  ["Postman key", 50, "PMAK-"],
  ["Prefect key", 34, "pnu_"],
  ["Pulumi token", 40, "pul-"],
  ["ReadMe key", 60, "rdme_"],
  ["RubyGems key", 40, "rubygems_"],
  ["SendGrid key", 60, "SG."],
  ["Sentry token", 60, "sntrys_eyJ"],
  ["Sentry token", 50, "sntryu_"],
  ["Shippo token", 36, "shippo_live_ shippo_test_"],
  ["Shopify token", 30, "shpat_ shpca_ shppa_"],
  ["Shopify secret", 30, "shpss_"],
  ["Typeform token", 40, "tfp_"],
]

export const PREFIXES = PREFIXED.flatMap(([kind, least, prefixes]) =>
  prefixes.split(" ").map((prefix) => [kind, prefix, least] as const),
)

/** The pattern for a token with a prefix. It requires a digit: a word of letters only is a name. */
export function prefixed(prefix: string, least: number): RegExp {
  const literal = prefix.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  return new RegExp(String.raw`(?<![A-Za-z0-9])${literal}(?=[\w.~+/=-]*\d)[\w.~+/=-]{${least},}`, "g")
}

/** Secrets recognised by the text before them: `Authorization:`, or `user:` in a URL. */
export const PLACE_RULES: readonly Rule[] = [
  [
    "private key",
    // A whole key or the beginning of one. The BEGIN line alone is no secret: code and docs contain it.
    /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?=[\s\S]{0,400}?[A-Za-z0-9+/]{32})(?:[^-]|-(?!----)){40,20000}-----END [A-Z0-9 ]{0,40}-----|(?:\s|\\[nr])*[A-Za-z0-9+/]{32}(?:[A-Za-z0-9+/=\s]|\\[nr])*)/g,
    "-----begin",
  ],
  [
    "AWS secret key",
    /(?<=(?:secret_?access_?key|aws_?secret(?:_?key)?)\\?["']?\s{0,3}[=:]\s{0,3}\\?["']?)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/gi,
    "secretaccesskey secret_access_key aws_secret awssecret",
  ],
  [
    "npm token",
    /(?<=(?<![A-Za-z0-9])_(?:auth(?:Token)?|password)\s?=\s?"?)[\w+/=-]{16,}/g,
    "_auth _password",
  ],
  [
    "Azure key",
    /(?<=(?:AccountKey|SharedAccessKey)=)[A-Za-z0-9+/]{40,}={0,2}/gi,
    "accountkey= sharedaccesskey=",
  ],
  [
    "bearer token",
    /(?<=authorization\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?(?:bearer|token|apikey)\s{1,3})(?=[\w~+/.=-]*\d|[\w~+/=]{20})[\w~+/.=-]{8,}/gi,
    "authorization",
  ],
  ["bearer token", /(?<=bearer\s{1,3})(?=[\w~+/.=-]*\d)(?=[\w~+/.=-]*[A-Za-z])[\w~+/.=-]{20,}/gi, "bearer"],
  [
    "credentials",
    /(?<=[Aa](?:uthorization|UTHORIZATION)\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?[Bb](?:asic|ASIC)\s{1,3})(?=[A-Za-z+/_-]*[A-Z0-9=])[A-Za-z0-9+/=_-]{8,}/g,
    "authorization",
  ],
  [
    "password",
    /(?<=[a-z0-9]:\/\/[^\s/:@"'`<>]{0,100}:)(?!\/\/|\d{1,5}[?#,;)\]])[^\s/"'`<>]{1,200}(?=@[\w[])/gi,
    "://",
  ],
  [
    "password",
    // With one slash, because a program that takes the URL for a path drops the other.
    /(?<=\b(?:https?|ftp|ssh|postgres(?:ql)?|mysql|mariadb|rediss?|mongodb(?:\+srv)?|amqps?|ldaps?|smtps?):\/[^\s/:@"'`<>]{0,100}:)[^\s/"'`<>]{1,200}(?=@[\w[])/gi,
    ":/",
  ],
  [
    "private key",
    // A PuTTY key, after its `Private-Lines: 14`.
    /(?<=Private-Lines: {0,3}\d{1,4}(?:\s|\\[nr]){1,4})(?=[A-Za-z0-9+/]{40})(?:[A-Za-z0-9+/]{4,200}={0,2}(?![\w+/=:.-])(?:\s|\\[nr]){0,4}){1,400}/g,
    "private-lines",
  ],
  [
    "private key",
    // A key in base64 in a Kubernetes secret or kubeconfig.
    /(?<=(?:client-key-data|tls\.key|ssh-privatekey|id_(?:rsa|ed25519|ecdsa))\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?)[A-Za-z0-9+/]{32,}={0,2}/g,
    "client-key-data tls.key ssh-privatekey id_rsa id_ed25519 id_ecdsa",
  ],
  [
    "password",
    /(?<=(?:server|data source|host|user id|uid|username|database|initial catalog)=[^;"'\n]{1,100};(?:[^;"'\n]{0,100};){0,8}\s?(?:password|pwd)=)[^;"'\s]{1,200}/gi,
    "password= pwd=",
  ],
]

/** Text that stands in for a secret: a variable, a placeholder, or a word such as `changeme`. */
export const PLACEHOLDER =
  /^(?:[{<[].*|\$(?:[A-Za-z_]\w*|[({].*)|%(?:[A-Z_a-z]\w*%|[a-z@])|\(.*\)|.*\$\{.*|x+|\.+|\*+|[\w.-]{0,30}(?:x{8,}|X{8,})|[A-Z0-9]{13}EXAMPLE|(?:my|your)?[-_]?(?:password|passwd|pass|pwd|secret|token|api[-_]?key|key)[\])}>]?|changeme|redacted|masked.*)$/i

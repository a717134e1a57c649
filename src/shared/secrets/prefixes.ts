/**
 * Tokens that their maker gives a prefix of its own, as the makers document it: what it is, the prefix, and how many
 * characters at least come behind it. Less than a whole token, so that one that was cut off counts too.
 */
export const PREFIXES: readonly (readonly [kind: string, prefix: string, least: number])[] = [
  ["1Password token", "ops_eyJ", 100],
  ["Age key", "AGE-SECRET-KEY-1", 40],
  ["Alibaba key", "LTAI", 20],
  ["Brevo key", "xkeysib-", 50],
  ["Clojars token", "CLOJARS_", 50],
  ["DigitalOcean token", "dop_v1_", 40],
  ["DigitalOcean token", "doo_v1_", 40],
  ["DigitalOcean token", "dor_v1_", 40],
  ["Doppler token", "dp.pt.", 36],
  ["Duffel token", "duffel_live_", 36],
  ["Duffel token", "duffel_test_", 36],
  ["Dynatrace token", "dt0c01.", 60],
  ["EasyPost key", "EZAK", 50],
  ["EasyPost key", "EZTK", 50],
  ["Fly token", "fo1_", 40],
  ["Fly token", "fm1r_", 80],
  ["Fly token", "fm2_", 80],
  ["Frame.io token", "fio-u-", 50],
  ["Grafana token", "glsa_", 32],
  ["Grafana token", "glc_eyJ", 28],
  ["Heroku key", "HRKU-AA", 50],
  ["Linear key", "lin_api_", 36],
  ["New Relic key", "NRAK-", 24],
  ["New Relic key", "NRII-", 28],
  ["Notion token", "ntn_", 40],
  ["Perplexity key", "pplx-", 40],
  ["PlanetScale token", "pscale_tkn_", 30],
  ["PlanetScale token", "pscale_oauth_", 30],
  ["PlanetScale password", "pscale_pw_", 30],
  ["Postman key", "PMAK-", 50],
  ["Prefect key", "pnu_", 34],
  ["Pulumi token", "pul-", 40],
  ["ReadMe key", "rdme_", 60],
  ["RubyGems key", "rubygems_", 40],
  ["SendGrid key", "SG.", 60],
  ["Sentry token", "sntrys_eyJ", 60],
  ["Sentry token", "sntryu_", 50],
  ["Shippo token", "shippo_live_", 36],
  ["Shippo token", "shippo_test_", 36],
  ["Shopify token", "shpat_", 30],
  ["Shopify token", "shpca_", 30],
  ["Shopify token", "shppa_", 30],
  ["Shopify secret", "shpss_", 30],
  ["Typeform token", "tfp_", 40],
]

/** A token with that prefix. A long word of letters alone is a name. */
export function prefixed(prefix: string, least: number): RegExp {
  const literal = prefix.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  return new RegExp(String.raw`(?<![A-Za-z0-9])${literal}(?=[\w.~+/=-]*\d)[\w.~+/=-]{${least},}`, "g")
}

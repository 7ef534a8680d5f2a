/**
 * What the well-known crawlers, previewers and monitors call themselves. Programs that say nothing of the kind are taken for
 * people: a visit is told by a page's script, which few programs run.
 */
const BOT =
  /bot\b|bot[/;_-]|crawl|spider|slurp|archiver|facebookexternalhit|whatsapp\/|embedly|linkpreview|lighthouse|pingdom|uptime|statuscake|monitoring|gtmetrix|pagespeed|headless-?check|mediapartners|bingpreview|yahoo! |duckduckgo-favicons|google-(?:inspectiontool|read-aloud|site-verification)|googleother|baiduspider|sogou web|360spider|bytespider|petalbot|yisouspider|claude-(?:user|searchbot)|chatgpt-user|perplexity/i

const KEPT = 1_000
const known = new Map<string, boolean>()

/** Whether a browser says of itself that it is no person's. */
export function isBot(userAgent: string | null): boolean {
  if (!userAgent) return false
  const found = known.get(userAgent)
  if (found !== undefined) return found
  if (known.size >= KEPT) known.clear()
  const bot = BOT.test(userAgent)
  known.set(userAgent, bot)
  return bot
}

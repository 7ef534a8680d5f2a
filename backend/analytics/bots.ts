/**
 * Matches the user agents of well-known crawlers, link previewers and uptime monitors. Other bots are counted as
 * visitors, but few of them run the script that reports visits.
 */
const BOT =
  /bot\b|bot[/;_-]|crawl|spider|slurp|archiver|facebookexternalhit|whatsapp\/|embedly|linkpreview|lighthouse|pingdom|uptime|statuscake|monitoring|gtmetrix|pagespeed|headless-?check|mediapartners|bingpreview|yahoo! |duckduckgo-favicons|google-(?:inspectiontool|read-aloud|site-verification)|googleother|baiduspider|sogou web|360spider|bytespider|petalbot|yisouspider|claude-(?:user|searchbot)|chatgpt-user|perplexity/i

const CACHE_SIZE = 1_000
const cache = new Map<string, boolean>()

/** Returns whether a user agent belongs to a known bot; false for null. */
export function isBot(userAgent: string | null): boolean {
  if (!userAgent) return false
  const found = cache.get(userAgent)
  if (found !== undefined) return found
  if (cache.size >= CACHE_SIZE) cache.clear()
  const bot = BOT.test(userAgent)
  cache.set(userAgent, bot)
  return bot
}

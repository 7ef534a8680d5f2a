import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const ISLAND = /<astro-island[^>]* client="(?:only|load)"[^>]*>/g
const ENTRY = /(?:component|renderer)-url="([^"]+)"/g
const IMPORT = /(?:from|import)\s*"\.\/([^"]+\.js)"/g
const MODULE = /<script type="module" src="([^"]+)"><\/script>/g

/** Returns an Astro integration that rewrites every built page. */
const rewriteHtml = (name, rewrite) => ({
  name,
  hooks: {
    'astro:build:done': ({ dir }) => {
      const dist = fileURLToPath(dir)
      for (const file of readdirSync(dist, { recursive: true }).filter((name) => name.endsWith('.html'))) {
        const html = readFileSync(path.join(dist, file), 'utf8')
        writeFileSync(path.join(dist, file), rewrite(html, dist))
      }
    },
  },
})

/**
 * Preloads all scripts of a page's islands, before its styles and texts have arrived. Otherwise, the browser would discover
 * them one after another.
 */
export const islandPreloads = () =>
  rewriteHtml('island-preloads', (html, dist) => {
    const importsOf = (script) => {
      const code = readFileSync(path.join(dist, script), 'utf8')
      return [...code.matchAll(IMPORT)].map(([, name]) => path.posix.join(path.posix.dirname(script), name))
    }
    const islands = html.match(ISLAND) ?? []
    const scripts = new Set(islands.flatMap((island) => [...island.matchAll(ENTRY)].map(([, url]) => url)))
    for (const script of scripts) for (const imported of importsOf(script)) scripts.add(imported)
    const links = [...scripts].map((script) => `<link rel="modulepreload" href="${script}">`)
    return html.replace('<meta name="viewport"', `${links.join('')}$&`)
  })

/**
 * Defers the scripts of public pages: `src/features/shell/late.js` loads them after the first paint, because they would
 * compete with it on a slow network. Pages with islands cannot paint without their scripts, so they stay unchanged.
 */
export const lateScripts = () =>
  rewriteHtml('late-scripts', (html) =>
    html.includes('<astro-island') ? html : html.replace(MODULE, '<script type="text/late" data-late="$1"></script>'),
  )

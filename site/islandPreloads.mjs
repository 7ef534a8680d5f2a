import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const ISLAND = /<astro-island[^>]* client="(?:only|load)"[^>]*>/g
const ENTRY = /(?:component|renderer)-url="([^"]+)"/g
const IMPORT = /(?:from|import)\s*"\.\/([^"]+\.js)"/g

/** Preloads all scripts of a page's islands. Otherwise the browser discovers them one after the other. */
export const islandPreloads = () => ({
  name: 'island-preloads',
  hooks: {
    'astro:build:done': ({ dir }) => {
      const dist = fileURLToPath(dir)
      const importsOf = (script) => {
        const code = readFileSync(path.join(dist, script), 'utf8')
        return [...code.matchAll(IMPORT)].map(([, name]) => path.posix.join(path.posix.dirname(script), name))
      }
      for (const file of readdirSync(dist, { recursive: true }).filter((name) => name.endsWith('.html'))) {
        const html = readFileSync(path.join(dist, file), 'utf8')
        const islands = html.match(ISLAND) ?? []
        const scripts = new Set(islands.flatMap((island) => [...island.matchAll(ENTRY)].map(([, url]) => url)))
        for (const script of scripts) for (const imported of importsOf(script)) scripts.add(imported)
        const links = [...scripts].map((script) => `<link rel="modulepreload" href="${script}">`)
        if (links.length > 0) writeFileSync(path.join(dist, file), html.replace('</head>', `${links.join('')}</head>`))
      }
    },
  },
})

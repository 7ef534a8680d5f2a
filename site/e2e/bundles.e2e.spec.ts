import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

const folder = path.resolve(import.meta.dirname, '../dist/_astro')

describe('what both languages share', () => {
  it('holds no Chinese but the values of the contract and the name of the language', () => {
    const movements = /左移|右移|左摇|右摇|推进|拉远|上升|下降|上摇|下摇|变焦推近|变焦拉远|晃动|跟随|固定/g
    const found = readdirSync(folder)
      .filter((file) => /\.(js|css)$/.test(file))
      .flatMap((file) => {
        const text = readFileSync(path.join(folder, file), 'utf8')
        const han = text.replace(movements, '').match(/\p{Script=Han}+/gu) ?? []
        return han.map((words) => `${file}: ${words}`)
      })
    expect(found).toEqual([])
  })
})

import { describe, expect, it } from 'vitest'
import { fileName } from './fileName.ts'

describe('the name of a download', () => {
  it.each([
    ['A cat on a hill at sunset', 'A cat on a hill at s.mp4'],
    ['一只猫在山上看日落，风很大，云很低，天边有一道光', '一只猫在山上看日落，风很大，云很低，天边.mp4'],
    ['😀'.repeat(30), `${'😀'.repeat(20)}.mp4`],
    ['../../etc/passwd', 'etc passwd.mp4'],
    ['..\\..\\windows', 'windows.mp4'],
    ['a"; filename="x.exe', 'a ; filename= x.exe.mp4'],
    ['line\r\nSet-Cookie: a=b', 'line Set-Cookie  a=.mp4'],
    ['nul\u0000in it', 'nul in it.mp4'],
    ['a<b>c:d|e?f*g', 'a b c d e f g.mp4'],
    ['ends with dots . . .', 'ends with dots.mp4'],
    ['. . hidden', 'hidden.mp4'],
    ['photo\u202egpj.exe', 'photogpj.exe.mp4'],
    ['CON', 'CON_.mp4'],
    ['com1.txt', 'com1.txt_.mp4'],
    ['', 'kinora.mp4'],
    ['   ', 'kinora.mp4'],
    ['???', 'kinora.mp4'],
    ['...', 'kinora.mp4'],
  ])('of %j is %j', (prompt, name) => {
    expect(fileName(prompt)).toBe(name)
  })
})

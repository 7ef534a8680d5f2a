import { addSky } from '../nature/sky.ts'
import { fading, fillEllipse, fillGlow, fillPolygon, mix, verticalGradient, withAlpha } from '../paint.ts'
import { addLayer, drawOnPlane, type Stage, scatter } from '../stage.ts'
import { addGround, addHills, greenOf, type Place } from './place.ts'

export const table: Place = {
  horizon: 0,
  compose(stage, enter) {
    const { palette, description, isNight } = stage
    const edge = 0.18
    addSky(stage)
    addLayer(stage, 0.15, { top: -0.05, bottom: 0.4, detail: 0.3 }, (context, box) => {
      scatter(stage, 'trees', { ...box, spacing: 0.09 }, (x, random) => {
        fillGlow(
          context,
          x,
          random.range(0.02, 0.16),
          random.range(0.08, 0.18),
          fading(mix(greenOf(stage, 2), palette.haze, 0.4), { 0: 0.85, 0.6: 0.5, 1: 0 }),
        )
      })
    })
    for (const weather of ['rain', 'snow']) if (description.weather.includes(weather)) addPane(stage, weather)
    const frame = mix('#5b3c28', palette.near, isNight ? 0.5 : 0.15)
    addLayer(stage, 0.4, { bottom: edge + 0.04 }, (context, box) => {
      context.fillStyle = frame
      for (const x of [-0.98, -0.34, 0.3, 0.94]) context.fillRect(x, box.top, 0.04, box.bottom - box.top)
      context.fillRect(box.left, -0.3, box.right - box.left, 0.026)
      context.fillRect(box.left, edge - 0.03, box.right - box.left, 0.1)
      context.fillStyle = mix(frame, palette.light, 0.3)
      context.fillRect(box.left, -0.3, box.right - box.left, 0.005)
    })
    enter('backdrop', 0.45, edge + 0.14)
    enter('air', 0.5, -0.08)
    enter('ground', 0.55, edge + 0.17, 'none')
    const board = mix('#a5693a', palette.near, isNight ? 0.5 : 0.1)
    addLayer(stage, 0.7, { top: edge }, (context, box) => {
      context.fillStyle = verticalGradient(context, edge, 0.56, {
        0: mix(board, palette.light, 0.28),
        0.1: board,
        1: mix(board, '#25120a', 0.5),
      })
      context.fillRect(box.left, edge, box.right - box.left, box.bottom - edge)
      const random = stage.random('grain')
      for (let i = 0; i < 150; i++) {
        context.fillStyle = withAlpha('#3a1c0c', random.range(0.05, 0.16))
        context.fillRect(
          random.range(box.left, box.right),
          edge + random.next() ** 1.5 * 0.4,
          random.range(0.1, 0.6),
          0.0022,
        )
      }
      context.fillStyle = withAlpha('#2a140a', 0.4)
      for (const y of [0.25, 0.34, 0.45]) context.fillRect(box.left, y, box.right - box.left, 0.003)
    })
    enter('surface', 0.75, 0.34, 'shadow')
    enter('table', 0.75, 0.36, 'shadow')
  },
}

/** The window of the room: left, top, right, bottom. */
const WINDOW = [-0.62, -0.33, -0.02, 0.06] as const

export const room: Place = {
  horizon: 0,
  compose(stage, enter, slots) {
    const { palette, description, isNight } = stage
    const floor = 0.26
    const tone = (colour: string) => mix(colour, palette.near, isNight ? 0.42 : 0.1)
    const [left, top, right, bottom] = WINDOW
    addSky(stage)
    for (const weather of ['rain', 'snow']) if (description.weather.includes(weather)) addPane(stage, weather)
    addLayer(stage, 0.4, { bottom: floor + 0.04 }, (context, box) => {
      context.fillStyle = verticalGradient(context, -0.5, floor, { 0: tone('#cdb796'), 1: tone('#e3d2b4') })
      context.beginPath()
      context.rect(box.left, box.top, box.right - box.left, box.bottom - box.top)
      context.rect(left, top, right - left, bottom - top)
      context.fill('evenodd')
      context.strokeStyle = tone('#7a5537')
      context.lineWidth = 0.024
      context.strokeRect(left, top, right - left, bottom - top)
      context.fillStyle = tone('#7a5537')
      context.fillRect((left + right) / 2 - 0.008, top, 0.016, bottom - top)
      context.fillRect(left - 0.04, bottom, right - left + 0.08, 0.022)
      context.fillRect(box.left, floor - 0.03, box.right - box.left, 0.08)
      context.fillStyle = tone('#b5523f')
      for (const x of [left, right])
        fillPolygon(
          context,
          [x - 0.07, top - 0.04],
          [x + 0.07, top - 0.04],
          [x + 0.05, floor - 0.06],
          [x - 0.05, floor - 0.06],
        )
      context.fillStyle = tone('#8a6440')
      for (const y of [-0.16, 0.02]) context.fillRect(0.34, y, 0.42, 0.02)
      const random = stage.random('books')
      for (const y of [-0.16, 0.02]) {
        for (let x = 0.36; x < 0.72; x += 0.026) {
          const high = random.range(0.06, 0.11)
          context.fillStyle = tone(random.pick(['#a8483c', '#3f6f8a', '#d3a24a', '#5a7a4c', '#6a4f7a', '#efe6d2']))
          if (random.next() < 0.8) context.fillRect(x, y - high, 0.02, high)
        }
      }
    })
    addGround(stage, 0.5, { base: floor, colour: tone('#a5754a'), low: tone('#6a4528'), roll: 0, grain: 0.05 })
    enter('backdrop', 0.5, floor + 0.05)
    enter('air', 0.55, -0.06)
    addLayer(stage, 0.62, { top: 0.3, bottom: 0.46 }, (context) => {
      context.fillStyle = tone('#8f4a4a')
      fillEllipse(context, 0, 0.39, 0.62, 0.055)
      context.fillStyle = tone('#c98f6a')
      fillEllipse(context, 0, 0.39, 0.54, 0.042)
    })
    enter('surface', 0.68, 0.4, 'shadow')
    enter('ground', 0.7, 0.4, 'shadow')
    if (slots.has('table')) addTable(stage, tone('#94633a'))
    enter('table', 0.75, 0.32, 'none')
  },
}

function addTable(stage: Stage, wood: string): void {
  addLayer(stage, 0.75, { top: 0.3, bottom: 0.6 }, (context) => {
    context.fillStyle = mix(wood, '#20140c', 0.35)
    for (const x of [-0.5, 0.46]) context.fillRect(x, 0.33, 0.04, 0.27)
    context.fillStyle = wood
    fillPolygon(context, [-0.52, 0.31], [0.52, 0.31], [0.58, 0.35], [-0.58, 0.35])
    context.fillStyle = mix(wood, '#20140c', 0.25)
    context.fillRect(-0.58, 0.35, 1.16, 0.022)
  })
}

/** Adds drops that run down the window, or snow that falls outside. */
function addPane(stage: Stage, weather: string): void {
  const random = stage.random('pane')
  const drops = Array.from({ length: weather === 'rain' ? 90 : 130 }, () => ({
    x: random.range(-1.1, 1.1),
    y: random.next(),
    r: random.range(0.002, 0.005),
    speed: random.range(0.02, 0.16),
  }))
  drawOnPlane(stage, 0.38, (context, seconds) => {
    for (const { x, y, r, speed } of drops) {
      const fall = (y + seconds * speed * (weather === 'rain' ? 1 : 0.6)) % 1
      const at = -0.6 + fall * 0.8
      context.fillStyle = weather === 'rain' ? 'rgba(225,240,255,.5)' : 'rgba(255,255,255,.85)'
      if (weather === 'rain') context.fillRect(x, at - r * 6, r * 0.5, r * 6)
      fillEllipse(
        context,
        weather === 'snow' ? x + 0.02 * Math.sin(seconds + y * 20) : x,
        at,
        r,
        weather === 'rain' ? r * 1.5 : r,
      )
    }
  })
}

export const greenhouse: Place = {
  horizon: 0.05,
  compose(stage, enter) {
    const { palette } = stage
    addSky(stage)
    addHills(stage, 0.08)
    addLayer(stage, 0.3, { bottom: 0.28 }, (context, box) => {
      context.strokeStyle = withAlpha(mix('#f4f8f6', palette.haze, 0.2), 0.85)
      context.lineWidth = 0.008
      for (let x = Math.floor(box.left / 0.5) * 0.5; x < box.right; x += 0.5) {
        context.beginPath()
        context.moveTo(x, 0.28)
        context.lineTo(x, -0.16)
        context.quadraticCurveTo(x + 0.25, -0.5, x + 0.5, -0.16)
        context.stroke()
        context.strokeRect(x, -0.16, 0.5, 0.22)
      }
    })
    addPots(stage, 0.4, 0.24)
    addPots(stage, 0.5, 0.29)
    addGround(stage, 0.55, { base: 0.28, colour: mix('#a9a08f', palette.ridge[2], 0.15), roll: 0, grain: 0.08 })
    enter('backdrop', 0.5, 0.3)
    enter('air', 0.6, -0.1)
    enter('surface', 0.7, 0.4, 'shadow')
    enter('table', 0.7, 0.4, 'shadow')
    enter('ground', 0.7, 0.41, 'shadow')
  },
}

function addPots(stage: Stage, nearness: number, base: number): void {
  addLayer(stage, nearness, { sway: 0.01, top: base - 0.2, bottom: base + 0.03 }, (context, box) => {
    scatter(stage, `pots${nearness}`, { ...box, spacing: 0.11 }, (x, random) => {
      const leaf = mix(random.pick(['#4f8f45', '#6aa84f', '#3f7a52']), stage.palette.near, 0.1)
      for (let i = 0; i < 14; i++) {
        context.fillStyle = mix(leaf, stage.palette.light, random.range(0, 0.35))
        fillEllipse(
          context,
          x + random.range(-0.045, 0.045),
          base - 0.06 - random.next() * 0.09,
          0.022,
          0.009,
          random.range(-1, 1),
        )
      }
      context.fillStyle = mix('#b5623c', stage.palette.near, 0.12)
      fillPolygon(
        context,
        [x - 0.032, base - 0.05],
        [x + 0.032, base - 0.05],
        [x + 0.022, base + 0.01],
        [x - 0.022, base + 0.01],
      )
    })
  })
}

export const stageHall: Place = {
  horizon: 0,
  compose(stage, enter) {
    const floor = 0.24
    addLayer(stage, 0.1, { detail: 0.4 }, (context, box) => {
      context.fillStyle = verticalGradient(context, -0.6, floor, { 0: '#140c1c', 0.6: '#2e1738', 1: '#45203f' })
      context.fillRect(box.left, box.top, box.right - box.left, box.bottom - box.top)
      for (let x = Math.floor(box.left / 0.09) * 0.09; x < box.right; x += 0.09) {
        context.fillStyle = 'rgba(10,4,16,.35)'
        context.fillRect(x, box.top, 0.035, floor - box.top)
      }
    })
    addGround(stage, 0.5, { base: floor, colour: '#6a4330', low: '#1d100c', roll: 0, grain: 0.05 })
    enter('backdrop', 0.5, floor + 0.04)
    drawOnPlane(stage, 0.5, (context, seconds) => {
      context.globalCompositeOperation = 'screen'
      for (const [x, tone, swing] of [
        [-0.45, '#ff9ad0', 1],
        [0, '#fff0cc', 0.4],
        [0.45, '#8fc4ff', -1],
      ] as const) {
        const foot = x * 0.25 + 0.08 * swing * Math.sin(seconds * 0.6)
        context.fillStyle = verticalGradient(context, -0.6, 0.42, fading(tone, { 0: 0.4, 1: 0.07 }))
        fillPolygon(context, [x - 0.02, -0.7], [x + 0.02, -0.7], [foot + 0.2, 0.38], [foot - 0.2, 0.38])
        context.fillStyle = withAlpha(tone, 0.16)
        fillEllipse(context, foot, 0.38, 0.22, 0.045)
      }
      context.globalCompositeOperation = 'source-over'
    })
    enter('air', 0.6, -0.1)
    enter('surface', 0.7, 0.38, 'shadow')
    enter('table', 0.7, 0.38, 'shadow')
    enter('ground', 0.7, 0.39, 'shadow')
    addLayer(stage, 0.9, {}, (context, box) => {
      for (const side of [-1, 1]) {
        for (let fold = 0; fold < 12; fold++) {
          const x = side * (0.74 + fold * 0.1)
          context.fillStyle = mix('#8f1f2c', '#2a060e', fold % 2 ? 0.55 : 0.1)
          context.fillRect(Math.min(x, x + side * 0.1), box.top, 0.1, box.bottom - box.top)
        }
      }
    })
  },
}

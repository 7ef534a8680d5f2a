import { addGrass } from '../nature/plants.ts'
import { addRidge } from '../nature/ridge.ts'
import { addFog, addSky } from '../nature/sky.ts'
import { addWater } from '../nature/water.ts'
import { fading, fillEllipse, fillGlow, fillPolygon, mix, verticalGradient, withAlpha } from '../paint.ts'
import { addLayer, drawOnPlane, type Stage, scatter } from '../stage.ts'
import { addBuildings } from '../town/buildings.ts'
import { addPromenade, addTraffic } from '../town/quay.ts'
import { addGround, addHills, greenOf, type Place } from './place.ts'

export const city: Place = {
  horizon: 0.16,
  compose(stage, enter) {
    const { palette, viewport, description, isNight } = stage
    const quay = viewport.horizon
    const isDay = description.time === 'day'
    const concrete = (row: number) => mix(palette.ridge[row]!, isDay ? '#51677f' : '#0a1026', isDay ? 0.6 : 0.25)
    addSky(stage)
    for (const [nearness, width, height, row, haze] of [
      [0.08, 0.055, 0.38, 1, 0.55],
      [0.2, 0.1, 0.44, 3, 0.3],
    ] as const) {
      addBuildings(stage, { nearness, width, height, haze, base: quay + 0.01, colour: concrete(row) })
      addFog(stage, nearness + 0.01, { y: quay - 0.03, height: 0.06, density: 0.5, drift: 0.012 })
    }
    enter('backdrop', 0.24, quay + 0.005)
    enter('air', 0.5, -0.14)
    addTraffic(stage, 0.24, quay)
    addWater(stage, {
      ...{ tint: mix(palette.water.tint, '#0b1530', isDay ? 0.1 : 0.5), deep: isDay ? '#1c4a66' : '#040816' },
      ...{ ripple: 0.0045, depth: isNight ? 0.55 : 0.6, glitter: false },
    })
    enter('surface', 0.45, quay + 0.1, 'reflection')
    addPromenade(stage, { nearness: 0.66, level: 0.36 })
    enter('ground', 0.72, 0.43, 'shadow')
  },
}

const NEON = ['#ff3d8f', '#2fe0ff', '#a566ff', '#ffb13d', '#45f5a0']

export const street: Place = {
  horizon: 0.1,
  compose(stage, enter) {
    const { palette, isNight, description } = stage
    const kerb = 0.24
    addSky(stage)
    addBuildings(stage, {
      nearness: 0.14,
      width: 0.09,
      height: 0.5,
      haze: 0.35,
      base: kerb,
      colour: mix(palette.ridge[2], '#151a30', isNight ? 0.4 : 0.2),
    })
    enter('air', 0.3, -0.2)
    addShops(stage, 0.42, kerb)
    enter('backdrop', 0.45, kerb + 0.01)
    const asphalt = mix(palette.ridge[3], '#20222e', isNight ? 0.75 : 0.5)
    addGround(stage, 0.5, { base: kerb, colour: asphalt, low: mix(asphalt, '#05060c', 0.5), roll: 0, grain: 0.04 })
    if (isNight || description.weather.includes('rain')) addWetLight(stage, kerb)
    enter('surface', 0.7, 0.37, 'shadow')
    enter('table', 0.7, 0.4, 'shadow')
    enter('ground', 0.7, 0.41, 'shadow')
  },
}

/** Adds a row of shops with lit windows, awnings and signs. */
function addShops(stage: Stage, nearness: number, base: number): void {
  const { palette, isNight, description } = stage
  const isLit = description.time !== 'day'
  const signs: { x: number; y: number; w: number; h: number; colour: string; phase: number }[] = []
  addLayer(stage, nearness, { top: base - 0.56, bottom: base + 0.01 }, (context, box) => {
    const wide = 0.34
    for (let cell = Math.floor(box.left / wide) - 1; cell * wide < box.right + wide; cell++) {
      const random = stage.random(`shop${cell}`)
      const x = cell * wide
      const height = random.range(0.34, 0.5)
      const wall = mix(
        random.pick(['#6a4a44', '#4a5068', '#5c5448', '#3f4f58', '#6a5a6a']),
        palette.near,
        isNight ? 0.55 : 0.15,
      )
      context.fillStyle = wall
      context.fillRect(x, base - height, wide - 0.004, height)
      for (let row = 0; row < 2; row++) {
        for (let column = 0; column < 3; column++) {
          context.fillStyle =
            isLit && random.chance(0.55) ? random.pick(['#ffd48a', '#ffe9bd', '#bfe0ff']) : mix(wall, '#10141f', 0.5)
          context.fillRect(x + 0.03 + column * 0.1, base - height + 0.04 + row * 0.09, 0.06, 0.06)
        }
      }
      context.fillStyle = isLit ? '#ffdf9e' : '#8fa6b8'
      context.fillRect(x + 0.03, base - 0.13, 0.18, 0.115)
      context.fillStyle = mix(wall, '#0c0a12', 0.55)
      context.fillRect(x + 0.235, base - 0.14, 0.07, 0.14)
      for (const dx of [0.085, 0.15]) context.fillRect(x + dx, base - 0.13, 0.005, 0.115)
      const awning = random.pick(['#b5433c', '#3f7a6a', '#c08a3c', '#4a5f9a'])
      for (let stripe = 0; stripe < 6; stripe++) {
        context.fillStyle = mix(stripe % 2 ? '#f2ead8' : awning, palette.near, isNight ? 0.4 : 0.08)
        fillPolygon(
          context,
          [x + 0.02 + stripe * 0.034, base - 0.175],
          [x + 0.054 + stripe * 0.034, base - 0.175],
          [x + 0.05 + stripe * 0.036, base - 0.13],
          [x + 0.014 + stripe * 0.036, base - 0.13],
        )
      }
      const colour = random.pick(NEON)
      if (random.chance(0.5))
        signs.push({ x: x + 0.26, y: base - height + 0.04, w: 0.045, h: 0.17, colour, phase: random.range(0, 6) })
      else signs.push({ x: x + 0.05, y: base - 0.235, w: 0.16, h: 0.045, colour, phase: random.range(0, 6) })
    }
  })
  drawOnPlane(stage, nearness, (context, seconds) => {
    for (const { x, y, w, h, colour, phase } of signs) {
      const on = isLit ? (Math.sin(seconds * 5 + phase) + Math.sin(seconds * 1.3 + phase) < -1.75 ? 0.4 : 1) : 0.75
      context.fillStyle = isLit ? '#150f22' : mix(colour, '#2a2030', 0.6)
      context.fillRect(x, y, w, h)
      context.strokeStyle = withAlpha(colour, on)
      context.lineWidth = 0.005
      context.strokeRect(x + 0.004, y + 0.004, w - 0.008, h - 0.008)
      context.fillStyle = withAlpha(isLit ? mix(colour, '#ffffff', 0.5) : '#f4efe6', on)
      const isTall = h > w
      for (let i = 0; i < 3; i++) {
        const [bx, by] = isTall ? [x + w * 0.25, y + 0.02 + i * 0.047] : [x + 0.022 + i * 0.042, y + h * 0.28]
        for (const [dx, dy, bw, bh] of [
          [0, 0, 0.022, 0.004],
          [0.009, 0, 0.004, 0.024],
          [0, 0.011, 0.022, 0.004],
          [(i % 2) * 0.016, 0.011, 0.004, 0.014],
        ] as const)
          context.fillRect(bx + dx, by + dy, bw, bh)
      }
    }
    if (!isLit) return
    context.globalCompositeOperation = 'screen'
    for (const { x, y, w, h, colour } of signs)
      fillGlow(context, x + w / 2, y + h / 2, 0.13, fading(colour, { 0: 0.45, 0.5: 0.12, 1: 0 }))
    context.globalCompositeOperation = 'source-over'
  })
}

/** Adds streaks of light on a wet street. */
function addWetLight(stage: Stage, top: number): void {
  addLayer(stage, 0.5, { top, bottom: 0.56, detail: 0.4 }, (context, box) => {
    context.globalCompositeOperation = 'screen'
    scatter(stage, 'wet', { ...box, spacing: 0.09 }, (x, random) => {
      const tone = random.chance(0.6) ? random.pick(NEON) : '#ffdf9e'
      const wide = random.range(0.012, 0.035)
      context.fillStyle = verticalGradient(context, top, top + 0.26, fading(tone, { 0: 0.5, 0.5: 0.18, 1: 0 }))
      context.fillRect(x, top, wide, 0.3)
    })
    context.globalCompositeOperation = 'source-over'
  })
}

/** Adds white houses with tiled roofs. */
function addTiledHouses(stage: Stage, nearness: number, base: number, wall: string): void {
  const { palette, isNight, description } = stage
  const isLit = description.time !== 'day'
  addLayer(stage, nearness, { top: base - 0.4, bottom: base + 0.02 }, (context, box) => {
    scatter(stage, `houses${nearness}`, { ...box, spacing: 0.24 }, (x, random) => {
      const [wide, high] = [random.range(0.2, 0.3), random.range(0.14, 0.24)]
      const tone = mix(wall, palette.ridge[2], isNight ? 0.6 : 0.12)
      context.fillStyle = verticalGradient(context, base - high, base, { 0: tone, 1: mix(tone, palette.near, 0.3) })
      context.fillRect(x - wide / 2, base - high, wide, high)
      context.fillStyle = mix('#343a46', palette.near, isNight ? 0.5 : 0.1)
      const eaves = base - high
      context.beginPath()
      context.moveTo(x - wide / 2 - 0.03, eaves + 0.004)
      context.quadraticCurveTo(x - wide / 2 + 0.01, eaves - 0.01, x - wide * 0.34, eaves - 0.075)
      context.lineTo(x + wide * 0.34, eaves - 0.075)
      context.quadraticCurveTo(x + wide / 2 - 0.01, eaves - 0.01, x + wide / 2 + 0.03, eaves + 0.004)
      context.fill()
      for (const dx of [-0.28, 0.06]) {
        context.fillStyle = isLit ? '#ffcf85' : mix('#5a4438', palette.near, 0.2)
        context.fillRect(x + wide * dx, eaves + high * 0.3, wide * 0.2, high * 0.32)
        context.fillStyle = mix('#3a2a24', palette.near, 0.2)
        context.fillRect(x + wide * dx + wide * 0.095, eaves + high * 0.3, wide * 0.014, high * 0.32)
      }
    })
  })
}

export const lane: Place = {
  horizon: 0.1,
  compose(stage, enter) {
    const { palette, isNight } = stage
    addSky(stage)
    addHills(stage, 0.1)
    enter('air', 0.3, -0.18)
    addTiledHouses(stage, 0.34, 0.22, '#a9a39c')
    enter('backdrop', 0.45, 0.25)
    const stone = mix('#9a938a', palette.ridge[3], isNight ? 0.7 : 0.25)
    addGround(stage, 0.5, { base: 0.22, colour: stone, low: mix(stone, palette.near, 0.5), roll: 0.003, grain: 0.1 })
    enter('surface', 0.7, 0.36, 'shadow')
    enter('table', 0.7, 0.38, 'shadow')
    enter('ground', 0.7, 0.4, 'shadow')
  },
}

export const watertown: Place = {
  horizon: 0.16,
  compose(stage, enter) {
    const { palette, viewport, isNight } = stage
    const water = viewport.horizon
    addSky(stage)
    addRidge(stage, {
      nearness: 0.07,
      base: water,
      height: 0.14,
      frequency: 1.3,
      variant: 3,
      colour: palette.ridge[0],
      haze: 0.8,
      relief: 0.4,
      bottom: water + 0.05,
    })
    addFog(stage, 0.1, { y: water - 0.04, height: 0.05, density: 0.7 })
    addTiledHouses(stage, 0.22, water + 0.005, '#efebe3')
    enter('backdrop', 0.28, water + 0.02)
    enter('air', 0.4, -0.16)
    addWater(stage, {
      tint: mix(palette.water.tint, '#7aa596', 0.4),
      deep: mix(palette.water.deep, '#1f3f3a', 0.4),
      ripple: 0.004,
      depth: 0.55,
      glitter: false,
    })
    enter('surface', 0.5, water + 0.11, 'reflection')
    const stone = mix('#b5aea2', palette.ridge[2], isNight ? 0.6 : 0.15)
    const arch = (x: number) => 0.4 - 0.1 * Math.exp(-((x / 0.75) ** 4))
    addLayer(stage, 0.66, { top: 0.2 }, (context, box) => {
      context.fillStyle = verticalGradient(context, 0.26, 0.5, {
        0: mix(stone, palette.light, 0.15),
        1: mix(stone, palette.near, 0.55),
      })
      context.beginPath()
      context.moveTo(box.left, box.bottom)
      for (let x = box.left; x <= box.right + 0.02; x += 0.02) context.lineTo(x, arch(x))
      context.lineTo(box.right, box.bottom)
      context.fill()
      context.fillStyle = mix(stone, palette.near, 0.3)
      for (let x = Math.floor(box.left / 0.13) * 0.13; x < box.right; x += 0.13)
        context.fillRect(x, arch(x) - 0.045, 0.014, 0.05)
      context.strokeStyle = mix(stone, palette.near, 0.22)
      context.lineWidth = 0.01
      context.beginPath()
      for (let x = box.left; x <= box.right; x += 0.02) context.lineTo(x, arch(x) - 0.04)
      context.stroke()
    })
    enter('ground', 0.72, 0.34, 'shadow')
    addGrass(stage, 0.95, { base: 0.47, length: 0.05, colour: mix(palette.near, greenOf(stage, 3), 0.4), density: 260 })
  },
}

export const road: Place = {
  horizon: 0.07,
  compose(stage, enter) {
    const { palette, viewport, isNight } = stage
    const sea = viewport.horizon
    addSky(stage)
    addRidge(stage, {
      nearness: 0.07,
      base: sea,
      height: 0.12,
      frequency: 1.2,
      variant: 4,
      colour: palette.ridge[0],
      haze: 0.7,
      relief: 0.6,
      bottom: sea + 0.05,
    })
    enter('backdrop', 0.2, sea + 0.02)
    addWater(stage, { ...palette.water, depth: 0.5 })
    enter('air', 0.5, -0.12)
    enter('surface', 0.3, sea + 0.06, 'reflection')
    addGrass(stage, 0.4, { base: sea + 0.1, length: 0.03, colour: greenOf(stage, 2), density: 420 })
    const asphalt = mix(palette.ridge[3], '#3a3c46', isNight ? 0.4 : 0.65)
    addLayer(stage, 0.55, { top: sea + 0.11, bottom: 0.5 }, (context, box) => {
      const wide = box.right - box.left
      context.fillStyle = mix('#b9bcc4', palette.near, isNight ? 0.6 : 0.2)
      context.fillRect(box.left, sea + 0.12, wide, 0.012)
      for (let x = Math.floor(box.left / 0.16) * 0.16; x < box.right; x += 0.16)
        context.fillRect(x, sea + 0.12, 0.01, 0.05)
      context.fillStyle = verticalGradient(context, sea + 0.16, 0.5, {
        0: mix(asphalt, palette.light, 0.12),
        1: mix(asphalt, palette.near, 0.4),
      })
      context.fillRect(box.left, sea + 0.16, wide, 0.4)
    })
    addLayer(stage, 0.7, { top: sea + 0.2, bottom: sea + 0.36 }, (context, box) => {
      context.fillStyle = withAlpha('#f2ead8', isNight ? 0.5 : 0.8)
      for (let x = Math.floor(box.left / 0.3) * 0.3; x < box.right; x += 0.3)
        context.fillRect(x, sea + 0.245, 0.15, 0.007)
      context.fillRect(box.left, sea + 0.345, box.right - box.left, 0.006)
    })
    enter('table', 0.7, sea + 0.3, 'shadow')
    enter('ground', 0.7, sea + 0.3, 'shadow')
    addGrass(stage, 0.95, { base: 0.48, length: 0.06, colour: greenOf(stage, 4), density: 260 })
  },
}

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

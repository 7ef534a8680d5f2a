import { scrollToPricing, setUpPlanLinks } from './plans.ts'
import { playHero } from './playHero.ts'
import { previewMovements } from './previewMovements.ts'

playHero()
previewMovements()
setUpPlanLinks()
scrollToPricing()

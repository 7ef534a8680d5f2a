/** What moves and answers on the landing page. */
import { followPlans, scrollToPricing } from './plans.ts'
import { playHero } from './playHero.ts'
import { previewMovements } from './previewMovements.ts'

playHero()
previewMovements()
followPlans()
scrollToPricing()

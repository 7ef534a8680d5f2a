import { Migration } from '@mikro-orm/migrations'

/** What made the film of a task. Rows that predate it are filled by the rebuild of version 4. */
export class M0259FilmMakers extends Migration {
  override up(): void {
    this.addSql('alter table video_task add routes jsonb, add engine text, add engine_model text')
  }
}

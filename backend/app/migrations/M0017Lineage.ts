import { Migration } from '@mikro-orm/migrations'

/** `video_task.made_from` has what this read model had. No release has read it. */
export class M0017Lineage extends Migration {
  override up(): void {
    this.addSql('drop table film_origin')
    this.addSql(`delete from parked_event where projection = 'filmOrigins'`)
    this.addSql(`delete from projection_checkpoint where name = 'filmOrigins'`)
  }
}

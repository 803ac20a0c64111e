// Client for npm's @nxtedition/rocksdb. Writes KEYS keys, closing the database after each third, or
// looks up all of them and as many absent ones: node node_client.js PACKAGE write|read FOLDER KEYS
const [, , folder, what, path, count] = process.argv;
const { RocksLevel } = require(folder);
const keys = Number(count);
const kBatch = 1000;

async function withDatabase(work) {
  const db = new RocksLevel(path, { createIfMissing: true });
  await db.open();
  await work(db);
  await db.close();
}

async function write(begin, end) {
  await withDatabase(async (db) => {
    for (let i = begin; i < end; i += kBatch) {
      const batch = db.batch();
      for (let j = i; j < Math.min(end, i + kBatch); ++j) batch.put('key' + j, 'value' + j);
      await batch.write();
    }
  });
}

async function read() {
  let missing = 0;
  let invented = 0;
  await withDatabase(async (db) => {
    for (let i = 0; i < keys; i += kBatch) {
      const asked = Array.from({ length: Math.min(kBatch, keys - i) }, (_, j) => i + j);
      const found = await db.getMany(asked.map((j) => 'key' + j));
      found.forEach((value, n) => { if (value !== 'value' + asked[n]) ++missing; });
      const absent = await db.getMany(asked.map((j) => 'kez' + j));
      absent.forEach((value) => { if (value !== undefined) ++invented; });
    }
  });
  console.log(`missing=${missing} invented=${invented} of ${keys}`);
}

(async () => {
  const third = Math.ceil(keys / 3);
  for (let i = 0; what === 'write' && i < keys; i += third) await write(i, Math.min(keys, i + third));
  if (what === 'read') await read();
})().catch((error) => { console.error(error); process.exit(1); });

// Says what is wrong with an OpenAPI document: validate.mjs FILE. Exit 1 where something is.
import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';

const document = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const result = await new Validator().validate(document);

if (!result.valid) {
    console.log(JSON.stringify(result.errors, null, 1).slice(0, 10000));
    process.exit(1);
}

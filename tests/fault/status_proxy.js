// A proxy in front of an etcd that ends calls with statuses of gRPC: status_proxy.js FOLDER ENDPOINT PLACE.
// The first streams of a watch, and the first calls, each end with another status from 0 to 16: `before` any data, `amid` a message,
// or `after` whole messages. What follows is passed on unchanged. Prints its port, and "over" when all statuses were sent.
"use strict";
const fs = require("fs");
const http2 = require("http2");
const [folder, endpoint, place] = process.argv.slice(2);
const read = name => fs.readFileSync(`${folder}/${name}`);
const STATUSES = 17;
let streams = 0;
let calls = 0;
let client = null;

function upstream() {
    if (client === null || client.destroyed || client.closed) {
        client = http2.connect(endpoint, { ca: read("ca.pem"), cert: read("client.pem"), key: read("client.key"), servername: "localhost" });
        client.on("error", () => { client = null; });
    }
    return client;
}

function end(stream, status) {
    if (!stream.destroyed && !stream.closed) {
        stream.sendTrailers({ "grpc-status": String(status), "grpc-message": `injected status ${status}` });
    }
}

const server = http2.createSecureServer({ ca: read("ca.pem"), cert: read("server.pem"), key: read("server.key"), requestCert: true });
server.on("stream", (stream, headers) => {
    const path = headers[":path"];
    const isWatch = path.endsWith("/Watch");
    let status = -1;
    stream.on("error", () => {});
    // The first calls and streams open the store, which must succeed here.
    if (isWatch) {
        streams += 1;
        status = streams > 1 && streams - 2 < STATUSES ? streams - 2 : -1;
        if (streams - 2 === STATUSES) {
            console.log("over");
        }
    } else if (streams > STATUSES + 2) {
        calls += 1;
        status = calls <= STATUSES && calls !== 1 ? calls - 1 : -1;
    }
    if (status >= 0 && (place === "before" || !isWatch)) {
        stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
        stream.on("wantTrailers", () => end(stream, status));
        stream.end();
        return;
    }
    const copy = { ...headers };
    delete copy[":authority"];
    const to = upstream().request(copy, { endStream: false });
    let trailers = null;
    let messages = 0;
    to.on("error", () => stream.destroy());
    stream.on("data", data => to.write(data));
    stream.on("end", () => to.end());
    stream.on("close", () => to.destroy());
    to.on("response", answer => {
        if (!stream.destroyed) {
            stream.respond({ ":status": answer[":status"], "content-type": "application/grpc",
                ...(answer["grpc-status"] ? { "grpc-status": answer["grpc-status"], "grpc-message": answer["grpc-message"] || "" } : {}) },
            { waitForTrailers: true });
        }
    });
    to.on("trailers", found => { trailers = found; });
    to.on("data", data => {
        messages += 1;
        if (status >= 0 && messages > 1) {
            stream.end(place === "amid" ? data.subarray(0, data.length - 1) : data);
            to.destroy();
            return;
        }
        if (!stream.destroyed && !stream.writableEnded) {
            stream.write(data);
        }
    });
    to.on("end", () => stream.end());
    stream.on("wantTrailers", () => {
        if (status >= 0) {
            end(stream, status);
        } else if (!stream.destroyed) {
            stream.sendTrailers(trailers === null ? { "grpc-status": "14" } :
                { "grpc-status": trailers["grpc-status"], "grpc-message": trailers["grpc-message"] || "" });
        }
    });
});
server.on("sessionError", () => {});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.stdin.on("end", () => process.exit(0)).resume();
